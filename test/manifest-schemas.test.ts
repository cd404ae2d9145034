/** @slow It compiles every manifest of Kubernetes. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { type Manifest, overlays, renderedWith, renderManifests, root } from './manifests.ts'

/**
 * The compiler compares each manifest with the types of its kind, as an object literal: that finds unknown fields too,
 * which a cluster would drop in silence. kubernetes-models has the types of Kubernetes and of two operators.
 */
const packages: Readonly<Record<string, string>> = {
  'keda.sh': '@kubernetes-models/keda',
  'postgresql.cnpg.io': '@kubernetes-models/cloudnative-pg',
}
/** No package has the types of this operator. */
const withoutTypes = ['RabbitmqCluster']

const compilerOptions = {
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  module: 'nodenext',
  target: 'es2023',
  types: [],
}

/** The errors of the compiler, one per line: the file has the name of the manifest. */
function violations(manifests: Readonly<Record<string, Manifest>>): string[] {
  const parent = join(root, '.data', 'test')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'manifests-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    for (const [name, manifest] of Object.entries(manifests))
      writeFileSync(join(folder, `${name}.ts`), typeProgram(manifest))
    return compile(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function typeProgram(manifest: Manifest): string {
  const { apiVersion, kind } = manifest
  const from = `${packages[apiVersion.split('/')[0] ?? ''] ?? 'kubernetes-models'}/${apiVersion}/${kind}`
  return `import type { I${kind} } from '${from}'\nexport const manifest: I${kind} = ${JSON.stringify(manifest, null, 1)}\n`
}

function compile(folder: string): string[] {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  try {
    execFileSync(process.execPath, [compiler, '--pretty', 'false', '-p', folder], { encoding: 'utf8', stdio: 'pipe' })
    return []
  } catch (error) {
    const { stdout } = error as { stdout?: string }
    if (stdout === undefined || stdout === '') throw error
    return stdout.trim().split('\n')
  }
}

/** By name; a manifest that several overlays have in common is compared once. */
function distinct(): Record<string, Manifest> {
  const rendering = { ...Object.fromEntries(overlays.map((name) => [name, renderManifests(`overlays/${name}`)])) }
  const components = renderedWith('prod', ['keda', 'rabbitmq-cluster-operator', 'cloudnative-pg'])
  const byText = new Map<string, readonly [string, Manifest]>()
  for (const [from, manifests] of Object.entries({ ...rendering, components, payctl: renderManifests('payctl') }))
    for (const manifest of manifests) {
      const text = JSON.stringify(manifest).replaceAll(`payments-${from}`, '')
      if (!byText.has(text)) byText.set(text, [`${from}-${manifest.kind}-${manifest.metadata.name}`, manifest])
    }
  return Object.fromEntries(byText.values())
}

test('every manifest has the fields and types of its kind', () => {
  const manifests = distinct()
  const skipped = Object.values(manifests).filter(({ kind }) => withoutTypes.includes(kind))
  expect(skipped.map(({ kind }) => kind)).toEqual(withoutTypes)
  const compared = Object.entries(manifests).filter(([, { kind }]) => !withoutTypes.includes(kind))
  expect(compared.length).toBeGreaterThan(60)
  expect(violations(Object.fromEntries(compared))).toEqual([])
})

test('an unknown field, a missing one, a wrong type and an unknown value are found', () => {
  const pod = (container: object) => ({ template: { spec: { containers: [container] } } })
  const deployment = (spec: object) =>
    ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' }, spec }) as unknown as Manifest
  const selector = { selector: { matchLabels: { app: 'x' } } }
  const trigger = { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', metadata: { name: 'x' } }
  const found = violations({
    right: deployment({ ...selector, ...pod({ name: 'x', image: 'x' }) }),
    unknown: deployment({ ...selector, ...pod({ name: 'x', livenesProbe: {} }) }),
    missing: deployment(pod({ name: 'x' })),
    type: deployment({ ...selector, ...pod({ name: 'x' }), replicas: '2' }),
    value: deployment({ ...selector, ...pod({ name: 'x', imagePullPolicy: 'Sometimes' }) }),
    custom: {
      ...trigger,
      spec: { scaleTargetRef: { name: 'x' }, triggers: [{ kind: 'rabbitmq' }] },
    } as unknown as Manifest,
  })
  const files = found.flatMap((line) => /(\w+)\.ts\(\d+,\d+\): error/.exec(line)?.[1] ?? [])
  expect([...new Set(files)].sort()).toEqual(['custom', 'missing', 'type', 'unknown', 'value'])
})

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import type { z } from 'zod'
import { environments } from '../scripts/texts/environments.mjs'
import * as policies from './manifest-policies.ts'
import {
  isProcess,
  isWorkload,
  type Manifest,
  overlays,
  readPod,
  renderedAs,
  renderedWith,
  renderManifests,
  root,
} from './manifests.ts'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const { requireImages, ...others } = policies
const all: Readonly<Record<string, policies.ManifestPolicy>> = { images: requireImages(version), ...others }
const byOverlay = Object.fromEntries(overlays.map((name) => [name, renderManifests(`overlays/${name}`)]))
const prod = byOverlay['prod'] ?? []
const components = renderedWith('prod', ['keda', 'rabbitmq-cluster-operator', 'cloudnative-pg'])

describe('the manifests satisfy', () => {
  test.each(Object.keys(all))('the policy "%s" in dev, qa and prod, and with every component', (name) => {
    const violations = Object.entries({ ...byOverlay, components }).flatMap(([overlay, manifests]) =>
      (all[name]?.(manifests) ?? []).map((one) => `${overlay}: ${one}`),
    )
    expect(violations).toEqual([])
  })

  test.each(['images', 'leastPrivilege', 'resources', 'secretsOfTheirOwn'])('the policy "%s" in payctl', (name) => {
    expect(all[name]?.(renderManifests('payctl'))).toEqual([])
  })
})

/** Applied to a copy of the prod manifests; the policy must find each. */
type Mistake = readonly [policy: string, what: string, plant: (manifests: Manifest[]) => unknown, finds: RegExp]

const findContainer = (manifests: readonly Manifest[], name: string) => {
  const [container] = readPod(findManifest(manifests, isWorkload, name)).containers
  return container as unknown as Record<string, unknown> & { env: object[]; envFrom: object[] }
}
const findSpec = (manifests: readonly Manifest[], kind: string, name: string) =>
  findManifest(manifests, (one) => one.kind === kind, name).spec as unknown as Record<string, unknown>
const without = (kind: string, name: string) => (manifests: Manifest[]) =>
  manifests.splice(manifests.indexOf(findManifest(manifests, (one) => one.kind === kind, name)), 1)

function findManifest(manifests: readonly Manifest[], filter: (one: Manifest) => boolean, name: string): Manifest {
  const found = manifests.filter(filter).find(({ metadata }) => metadata.name === name)
  if (found === undefined) throw new Error(`no ${name}`)
  return found
}
const set = (name: string, changes: object) => (manifests: Manifest[]) =>
  Object.assign(findContainer(manifests, name), changes)
const job = `migrate-${version.replaceAll('.', '-')}`
const rename = (manifests: Manifest[]) =>
  Object.assign(findManifest(manifests, isWorkload, job).metadata, { name: 'migrate-rbac' })

const mistakes: readonly Mistake[] = [
  ['images', 'an image without a tag', set('rbac', { image: 'payments/rbac' }), /^Deployment rbac, rbac: its image/],
  ['images', 'the newest image', set('rbac', { image: 'payments/rbac:latest' }), /its image is not pinned/],
  ['images', 'the image of another release', set('rbac', { image: 'payments/rbac:9.9.9' }), /its image is not pinned/],
  ['images', 'a Job without the release', rename, /^Job migrate-rbac: its name lacks the release/],
  ['leastPrivilege', 'a writable file system', set('audit', { securityContext: {} }), /^Deployment audit, audit:/],
  [
    'leastPrivilege',
    'a pod as root',
    (all) => Object.assign(readPod(findManifest(all, isProcess, 'rbac')), { securityContext: {} }),
    /its pod/,
  ],
  [
    'secretsOfTheirOwn',
    'a pepper as a literal',
    (all) => findContainer(all, 'rbac').env.push({ name: 'API_KEY_PEPPERS', value: 'x' }),
    /API_KEY_PEPPERS: a secret as a literal/,
  ],
  [
    'secretsOfTheirOwn',
    'a password in a URL',
    (all) => findContainer(all, 'rbac').env.push({ name: 'PROXY', value: 'http://a:b@c' }),
    /PROXY: a secret/,
  ],
  [
    'secretsOfTheirOwn',
    'the database of another service',
    (all) =>
      findContainer(all, 'rbac').env.push({ name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'audit' } } }),
    /another process/,
  ],
  [
    'secretsOfTheirOwn',
    'a Secret',
    (all) => all.push({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'rbac' } }),
    /a Secret in the repository/,
  ],
  ['probes', 'no liveness probe', set('webhooks', { livenessProbe: undefined }), /webhooks: livenessProbe$/],
  [
    'probes',
    'readiness by the path of liveness',
    set('webhooks', { readinessProbe: { httpGet: { path: '/healthz', port: 'internal' } } }),
    /readinessProbe$/,
  ],
  [
    'resources',
    'no limit of memory',
    set('gateway', { resources: { requests: { cpu: '1', memory: '1Gi' } } }),
    /^StatefulSet gateway/,
  ],
  [
    'availability',
    'no disruption budget',
    without('PodDisruptionBudget', 'rbac'),
    /^Deployment rbac: no PodDisruptionBudget/,
  ],
  ['availability', 'no autoscaler', without('HorizontalPodAutoscaler', 'rbac'), /^Deployment rbac: a Deployment needs/],
  [
    'availability',
    'replicas that each apply resets',
    (all) => Object.assign(findSpec(all, 'Deployment', 'rbac'), { replicas: 2 }),
    /replicas beside/,
  ],
  [
    'availability',
    'a key both in matchLabelKeys and in labelSelector, which the API server rejects',
    (all) => {
      const [constraint] = readPod(findManifest(all, isProcess, 'rbac')).topologySpreadConstraints ?? []
      Object.assign(constraint ?? {}, { labelSelector: { matchLabels: { app: 'rbac' } } })
    },
    /labelSelector has a key/,
  ],
  [
    'availability',
    'a process that no rollout selects',
    (all) => Object.assign(findManifest(all, isProcess, 'rbac'), { metadata: { name: 'rbac' } }),
    /^Deployment rbac: no label app/,
  ],
  [
    'references',
    'a Service of nothing',
    (all) => Object.assign(findSpec(all, 'Service', 'rbac'), { selector: { app: 'rbacs' } }),
    /^Service rbac/,
  ],
  [
    'references',
    'a port that is not there',
    (all) => Object.assign(findSpec(all, 'Service', 'rbac'), { ports: [{ targetPort: 'http' }] }),
    /^Service rbac/,
  ],
  [
    'references',
    'a ConfigMap that is not there',
    (all) => findContainer(all, 'rbac').envFrom.push({ configMapRef: { name: 'none' } }),
    /no ConfigMap none/,
  ],
  ['references', 'one thing twice', (all) => all.push(findManifest(all, isProcess, 'rbac')), /^Deployment rbac: twice/],
  [
    'references',
    'an Ingress without TLS',
    (all) => Object.assign(findSpec(all, 'Ingress', 'gateway'), { tls: [] }),
    /has no TLS$/,
  ],
  ['references', 'a StatefulSet without its headless Service', without('Service', 'gateway-headless'), /not headless/],
]

test.each(mistakes)('the policy "%s" finds %s', (policy, _what, plant, finds) => {
  const copy = structuredClone(prod) as Manifest[]
  plant(copy)
  expect(all[policy]?.(copy)).toContainEqual(expect.stringMatching(finds))
})

describe('the overlays', () => {
  /** An environment decides its name, hosts, providers of messages and retention, and by `sizes` its size. */
  const ownKeys =
    /^(ENVIRONMENT|MESSAGING_PREFIX|PAY_BASE_URL|API_ORIGIN|CONSOLE_ORIGIN|CARD_PAGE_ORIGIN|COMMUNICATION_\w+|\w+_RETENTION_DAYS)$/
  const sizes = ['replicas', 'minReplicas', 'maxReplicas', 'resources']

  /** The manifests of an overlay as text, without what an environment may decide. */
  const alike = (overlay: string) => {
    const text = JSON.stringify(byOverlay[overlay], (key, value: unknown) => {
      if (ownKeys.test(key) || sizes.includes(key)) return undefined
      return typeof value === 'string' && /^(?:[a-z]+\.)+example\.com$/.test(value) ? 'host' : value
    })
    const names = (byOverlay[overlay] ?? []).filter(({ kind }) => kind === 'ConfigMap').map((one) => one.metadata.name)
    const unhashed = names.reduce((done, name) => done.replaceAll(name, name.replace(/-[a-z0-9]{10}$/, '')), text)
    return JSON.parse(unhashed.replaceAll(`payments-${overlay}`, 'namespace')) as Manifest[]
  }

  test.each(['dev', 'qa'])('%s differs from prod in name, host, providers, size and retention only', (overlay) => {
    expect(alike(overlay)).toEqual(alike('prod'))
  })

  test('reach payers and people under the hosts of their Ingress, a host each', () => {
    for (const overlay of overlays) {
      const manifests = byOverlay[overlay] ?? []
      const { rules = [] } = findManifest(manifests, ({ kind }) => kind === 'Ingress', 'gateway').spec ?? {}
      const origins = ['PAY_BASE_URL', 'CONSOLE_ORIGIN', 'CARD_PAGE_ORIGIN'].map((name) =>
        manifests.flatMap(({ data }) => data?.[name] ?? []),
      )
      expect([overlay, origins]).toEqual([overlay, rules.map(({ host }) => [`https://${host}`])])
      expect(new Set(rules.map(({ host }) => host)).size).toBe(3)
    }
  })
})

describe('each process', () => {
  const names = new Map(environments.map(([name, folder, exported]) => [name?.replace(' ', '-'), { folder, exported }]))
  const cases = [...overlays.map((overlay) => [overlay, byOverlay[overlay] ?? []] as const)].flatMap(
    ([overlay, manifests]) =>
      manifests.filter(isProcess).map((one) => [overlay, one.metadata.name, manifests] as const),
  )

  test.each(cases)('in %s: %s gets the variables that it requires, and no other', async (overlay, name, manifests) => {
    const { folder, exported = '' } = names.get(name) ?? {}
    const config = (await import(join(root, String(folder), 'src/config.ts'))) as Record<string, z.ZodObject>
    const shape = config[exported]?.shape ?? {}
    const [container] = readPod(findManifest(manifests, isProcess, name)).containers
    const maps = container?.envFrom?.map(({ configMapRef }) => configMapRef.name) ?? []
    const fromMaps = manifests
      .filter((one) => maps.includes(one.metadata.name))
      .flatMap(({ data }) => Object.keys(data ?? {}))
    const own = container?.env?.map((variable) => variable.name) ?? []
    const required = Object.keys(shape).filter((key) => !(shape[key] as z.ZodType).safeParse(undefined).success)
    // Outside dev, two more are required (config.ts of the gateway and of audit).
    const outsideDev = { gateway: ['TRUSTED_PROXIES'], audit: ['AUDIT_CHECKPOINT_DIRECTORY'] }[name] ?? []
    expect([...required, ...outsideDev].filter((key) => ![...own, ...fromMaps].includes(key))).toEqual([])
    expect([overlay, own.filter((key) => !(key in shape))]).toEqual([overlay, []])
  })
})

test('the next release has its own Job and images, and changes nothing else that a cluster could refuse', () => {
  const next = renderedAs('prod', '98.7.6', '98-7-6')
  expect(requireImages('98.7.6')(next)).toEqual([])
  const text = JSON.stringify(next).replaceAll('98.7.6', version).replaceAll('98-7-6', version.replaceAll('.', '-'))
  expect(JSON.parse(text)).toEqual(prod)
})

test('the dispatcher is scaled by its queues with KEDA, under the prefix of the environment', () => {
  for (const overlay of overlays) {
    const manifests = renderedWith(overlay, ['keda'])
    expect(
      manifests.filter(({ kind, metadata }) => kind.startsWith('Horiz') && metadata.name === 'webhooks-dispatcher'),
    ).toEqual([])
    const { triggers } = findSpec(manifests, 'ScaledObject', 'webhooks-dispatcher') as {
      triggers: { metadata: { queueName: string } }[]
    }
    const queues = triggers.map(({ metadata }) => metadata.queueName)
    expect(queues).toEqual([`${overlay}.webhooks.events`, `${overlay}.webhooks.deliveries`])
  }
})

test('a payctl command becomes a Job with the operator and the arguments, and without either it is refused', () => {
  const script = join(root, 'scripts/release/payctl-job.mjs')
  const command = ['tenant', 'create', '--name', 'Acme "and" Sons']
  const output = execFileSync(process.execPath, [script, '--operator', 'me@example.com', '--', ...command], {
    encoding: 'utf8',
  })
  const printed = JSON.parse(output) as Manifest & { metadata: { generateName: string } }
  const [container] = readPod(printed).containers
  expect(container?.args).toEqual(['dist/main.js', ...command])
  expect(container?.env).toContainEqual({ name: 'PAYCTL_OPERATOR', value: 'me@example.com' })
  expect(printed.metadata).toEqual({ labels: expect.anything(), generateName: 'payctl-' })
  for (const [given, says] of [
    [['help'], '--operator must name you'],
    [['--operator', 'me'], 'the command of payctl is missing'],
    [['--operator', 'me', '--', ...command, '--show-key'], 'use --encrypt-key'],
    [['--operator', 'me', '--', ...command, '--key-output=/tmp/key'], 'use --encrypt-key'],
  ] as const)
    expect(() => execFileSync(process.execPath, [script, ...given], { stdio: 'pipe' })).toThrow(says)
})

import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'

/** Each boundary rule, and a file that breaks it. A rule that is not listed here fails the last test. */
const planted: Record<string, { file: string; imports: string }> = {
  'no-cycle': { file: 'packages/contracts/src/cycle.ts', imports: './page.ts' },
  resolvable: { file: 'services/rbac/src/verbs/lost.ts', imports: './nowhere.ts' },
  'contracts-import-zod-only': { file: 'packages/contracts/src/heavy.ts', imports: 'node:fs' },
  'contract-files-apart': { file: 'packages/contracts/src/rbac.ts', imports: './api-key.ts' },
  'foundations-apart': { file: 'packages/chassis/src/outbox.ts', imports: '../../messaging/src/relay.ts' },
  'services-apart': { file: 'services/rbac/src/verbs/peek.ts', imports: '../../../webhooks/src/dispatch/deliver.ts' },
  'gateway-apart': { file: 'gateway/src/shortcut.ts', imports: '../../services/rbac/src/verbs/peek.ts' },
  'packages-below-services': {
    file: 'packages/payctl/src/inside.ts',
    imports: '../../../services/rbac/src/verbs/peek.ts',
  },
  'testing-from-tests-only': { file: 'gateway/src/mock.ts', imports: '../../packages/testing/src/clock.ts' },
  'devkit-on-this-machine-only': {
    file: 'gateway/src/provision.ts',
    imports: '../../packages/devkit/src/provision.ts',
  },
  'domain-is-pure': { file: 'services/rbac/src/domain/role.ts', imports: '../store/roles.ts' },
  'verbs-know-no-http-server': { file: 'services/rbac/src/verbs/serve.ts', imports: 'express' },
  'verbs-call-no-verb': { file: 'services/rbac/src/verbs/both.ts', imports: './peek.ts' },
  'store-is-below-verbs': { file: 'services/rbac/src/store/roles.ts', imports: '../verbs/lone.ts' },
  'only-store-knows-prisma': { file: 'services/rbac/src/verbs/raw.ts', imports: '../generated/client.ts' },
  'doors-open-on-verbs': { file: 'services/rbac/src/routes.ts', imports: '../src/store/roles.ts' },
}

/** What the violations import, and nothing more. */
const neighbours: Record<string, string> = {
  'packages/contracts/src/page.ts': `import './cycle.ts'\n`,
  'packages/contracts/src/api-key.ts': '',
  'packages/messaging/src/relay.ts': '',
  'packages/chassis/src/calm.ts': '',
  'packages/vault/src/vault.ts': `import '../../chassis/src/calm.ts'\n`,
  'packages/testing/src/clock.ts': '',
  'packages/devkit/src/provision.ts': '',
  'services/webhooks/src/dispatch/deliver.ts': '',
  'services/rbac/src/verbs/lone.ts': '',
  'services/rbac/src/generated/client.ts': '',
}

const root = resolve(import.meta.dirname, '..')
let tree: string
let violations: { from: string; rule: { name: string } }[]

beforeAll(async () => {
  tree = await realpath(await mkdtemp(join(tmpdir(), 'boundaries-')))
  for (const file of ['.dependency-cruiser.cjs', 'tsconfig.base.json']) await cp(join(root, file), join(tree, file))
  await mkdir(join(tree, 'node_modules'))
  await symlink(await realpath(join(root, 'gateway/node_modules/express')), join(tree, 'node_modules/express'))
  const files = Object.entries(planted).map(([, { file, imports }]) => [file, `import '${imports}'\n`] as const)
  for (const [file, text] of [...Object.entries(neighbours), ...files]) {
    await mkdir(dirname(join(tree, file)), { recursive: true })
    await writeFile(join(tree, file), text)
  }
  violations = JSON.parse(await cruise()).summary.violations
}, 120_000)

afterAll(() => rm(tree, { recursive: true, force: true }))

/** The cruiser's exit code is the number of errors it found, so a non-zero one is what we came for. */
function cruise(): Promise<string> {
  const bin = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
  const parameters = [
    bin,
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
    'packages',
    'services',
    'gateway',
  ]
  return new Promise((done, failed) => {
    execFile(process.execPath, parameters, { cwd: tree, maxBuffer: 32 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (stdout.startsWith('{')) done(stdout)
      else failed(error ?? new Error(stderr))
    })
  })
}

test.each(Object.entries(planted))('%s refuses a planted violation', (rule, { file }) => {
  expect(violations.filter((violation) => violation.rule.name === rule).map((violation) => violation.from)).toContain(
    file,
  )
})

test('vault may import chassis', () => {
  expect(violations.filter(({ from }) => from === 'packages/vault/src/vault.ts')).toEqual([])
})

test('every rule has a planted violation', async () => {
  const { default: config } = await import('../.dependency-cruiser.cjs')
  expect((config.forbidden ?? []).map((rule) => rule.name)).toEqual(Object.keys(planted))
})

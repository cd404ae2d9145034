/** @slow It runs a checker on planted code. */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'

/** Files that break a boundary rule: the rule, the file, its import. The last test fails for a rule without a file. */
const planted: readonly [rule: string, file: string, imports: string][] = [
  ['no-cycle', 'packages/contracts/src/grammar/cycle.ts', './page.ts'],
  ['folders-in-one-direction', 'gateway/src/limits/call.ts', '../pipeline/stage.ts'],
  ['folders-in-one-direction', 'services/webhooks/src/egress/send.ts', '../dispatch/attempt.ts'],
  ['folders-in-one-direction', 'packages/vault/src/keys/read.ts', '../files/parse.ts'],
  ['resolvable', 'services/rbac/src/verbs/lost.ts', './nowhere.ts'],
  ['contracts-import-zod-only', 'packages/contracts/src/heavy.ts', 'node:fs'],
  ['contracts-import-zod-only', 'packages/contracts/src/bundled.ts', 'lru-cache'],
  ['contract-files-apart', 'packages/contracts/src/services/rbac/contract.ts', '../api-key/contract.ts'],
  ['contract-files-apart', 'packages/contracts/src/services/added-later/contract.ts', '../api-key/contract.ts'],
  ['foundations-apart', 'packages/chassis/src/outbox.ts', '../../messaging/src/outbox/relay.ts'],
  ['foundations-apart', 'packages/messaging/src/copies.ts', '../../service/src/business-units/copies.ts'],
  ['texts-are-data', 'packages/texts/src/lost.ts', '../../chassis/src/base/config.ts'],
  ['service-above-foundations', 'packages/service/src/fetch.ts', '../../egress/src/resolve.ts'],
  ['client-apart', 'packages/client/src/contract.ts', '../../contracts/src/grammar/page.ts'],
  ['client-apart', 'packages/client/src/server.ts', 'express'],
  ['client-apart', 'packages/client/src/files.ts', 'node:fs'],
  ['client-for-tenants-only', 'services/rbac/src/verbs/tenant.ts', '../../../../packages/client/src/list.ts'],
  ['client-for-tenants-only', 'packages/devkit/src/platform/tenant.ts', '../../../client/src/list.ts'],
  ['console-pages-apart', 'packages/console/src/pages/keys/key.ts', '../roles/role.ts'],
  ['console-uses-the-client', 'packages/console/src/contract.ts', '../../contracts/src/grammar/page.ts'],
  ['console-uses-the-client', 'packages/console/src/files.ts', 'node:fs'],
  ['documentation-is-files', 'gateway/src/pages/guides.ts', '../../../packages/docs-site/src/guide.ts'],
  ['services-apart', 'services/rbac/src/verbs/peek.ts', '../../../webhooks/src/dispatch/deliver.ts'],
  ['gateway-apart', 'gateway/src/shortcut.ts', '../../services/rbac/src/verbs/peek.ts'],
  ['packages-below-services', 'packages/payctl/src/inside.ts', '../../../services/rbac/src/verbs/peek.ts'],
  ['testing-from-tests-only', 'gateway/src/mock.ts', '../../packages/testing/src/clock.ts'],
  ['devkit-on-this-machine-only', 'gateway/src/provision.ts', '../../packages/devkit/src/servers/provision.ts'],
  ['domain-is-pure', 'services/rbac/src/domain/role.ts', '../store/roles.ts'],
  // The entry of lru-cache lies in its `dist` folder.
  ['domain-is-pure', 'services/rbac/src/domain/cached.ts', 'lru-cache'],
  ['verbs-know-no-http-server', 'services/rbac/src/verbs/serve.ts', 'express'],
  ['verbs-call-no-verb', 'services/rbac/src/verbs/both.ts', './peek.ts'],
  ['verbs-call-no-verb', 'services/webhooks/src/verbs/again.ts', '../dispatch/consumers.ts'],
  ['store-is-below-verbs', 'services/rbac/src/store/roles.ts', '../verbs/lone.ts'],
  ['store-is-below-verbs', 'services/webhooks/src/store/dead-letter/tasks.ts', '../../dispatcher.ts'],
  ['only-store-knows-prisma', 'services/rbac/src/verbs/raw.ts', '../generated/client.ts'],
  ['entry-points-call-verbs', 'services/rbac/src/routes.ts', './store/roles.ts'],
  ['entry-points-call-verbs', 'services/webhooks/src/api/dead-letter-routes.ts', '../store/dead-letter/tasks.ts'],
  ['entry-points-call-verbs', 'services/webhooks/src/dispatch/jobs.ts', '../store/dead-letter/tasks.ts'],
]

/** Files that the planted files import. */
const imported: Record<string, string> = {
  'gateway/src/limits/bucket.ts': '',
  'gateway/src/pipeline/stage.ts': `import '../limits/bucket.ts'\n`,
  'services/webhooks/src/egress/url.ts': '',
  'services/webhooks/src/dispatch/attempt.ts': `import '../egress/url.ts'\n`,
  'packages/vault/src/keys/ring.ts': '',
  'packages/vault/src/files/parse.ts': `import './lines.ts'\n`,
  'packages/vault/src/files/lines.ts': `import '../keys/ring.ts'\n`,
  'packages/contracts/src/grammar/page.ts': `import './cycle.ts'\n`,
  'packages/contracts/src/services/api-key/contract.ts': contractFile(''),
  'packages/messaging/src/outbox/relay.ts': '',
  'packages/chassis/src/calm.ts': '',
  'packages/vault/src/vault.ts': `import '../../chassis/src/calm.ts'\n`,
  'packages/service/src/business-units/copies.ts': `import '../../../messaging/src/outbox/relay.ts'\n`,
  'packages/egress/src/resolve.ts': '',
  'packages/console/src/pages/roles/role.ts': '',
  'packages/client/src/list.ts': '',
  'packages/docs-site/src/guide.ts': '',
  'packages/testing/src/clock.ts': '',
  'packages/devkit/src/servers/provision.ts': '',
  'services/webhooks/src/dispatch/deliver.ts': '',
  'services/webhooks/src/dispatch/consumers.ts': '',
  'services/webhooks/src/dispatcher.ts': '',
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
  for (const name of ['express', 'lru-cache']) {
    await symlink(await realpath(join(root, 'gateway/node_modules', name)), join(tree, 'node_modules', name))
  }
  const files = planted.map(([rule, file, imports]) => {
    const text = `import '${imports}'\n`
    return [file, rule === 'contract-files-apart' ? contractFile(text) : text] as const
  })
  for (const [file, text] of [...Object.entries(imported), ...files]) {
    await mkdir(dirname(join(tree, file)), { recursive: true })
    await writeFile(join(tree, file), text)
  }
  violations = JSON.parse(await cruise()).summary.violations
}, 120_000)

afterAll(() => rm(tree, { recursive: true, force: true }))

/** The cruiser recognizes a contract file by the call of `contract`. */
function contractFile(imports: string): string {
  return `${imports}export const promise = contract({})\n`
}

/** Returns the report of the cruiser, whose exit code is the number of violations. */
function cruise(): Promise<string> {
  const bin = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs')
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

test.each(planted)('%s reports the violation in %s', (rule, file) => {
  const from = violations.filter((violation) => violation.rule.name === rule).map((violation) => violation.from)
  expect(from).toContain(rule === 'folders-in-one-direction' ? dirname(file) : file)
})

test('vault may import chassis', () => {
  expect(violations.filter(({ from }) => from === 'packages/vault/src/vault.ts')).toEqual([])
})

test('packages/service may import messaging', () => {
  expect(violations.filter(({ from }) => from === 'packages/service/src/business-units/copies.ts')).toEqual([])
})

test('every rule has a planted violation', async () => {
  const { default: config } = await import('../.dependency-cruiser.cjs')
  expect((config.forbidden ?? []).map((rule) => rule.name)).toEqual([...new Set(planted.map(([rule]) => rule))])
})

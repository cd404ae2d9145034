/** @slow It installs the packed client. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { nodeRelease } from '@payments/testing/platform/node-release'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { listMissing } from '../generate/publishable.mjs'
import { version } from '../src/attempt.ts'

/** The package as a registry would receive it. */
const run = promisify(execFile)
const folder = resolve(import.meta.dirname, '..')
const root = resolve(folder, '../..')
let directory: string
let tarball: Buffer
let paths: string[]

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'client-package-'))
  const { packageManager } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const pack = ['--yes', packageManager, '--pm-on-fail=ignore', 'pack', '--out', join(directory, 'client.tgz')]
  await run('npx', pack, { cwd: folder })
  tarball = await readFile(join(directory, 'client.tgz'))
  await run('tar', ['-xzf', 'client.tgz'], { cwd: directory })
  const { stdout } = await run('tar', ['-tzf', 'client.tgz'], { cwd: directory })
  paths = stdout.trim().split('\n')
}, 240_000)

afterAll(() => rm(directory, { recursive: true, force: true }))

test('the package has compiled code, types, source, README, changelog and license, and nothing else', () => {
  const compiled = /^package\/dist\/(generated\/)?[\w-]+\.(js|js\.map|d\.ts)$/
  const expected = new RegExp(
    `${compiled.source}|^package/(package.json|README.md|CHANGELOG.md|LICENSE|src/(generated/)?[\\w-]+\\.ts)$`,
  )
  expect(paths.filter((path) => !expected.test(path))).toEqual([])
  const modules = ['client', 'errors', 'webhooks', 'generated/openapi', 'generated/operations', 'generated/schemas']
  const both = modules.flatMap((name) => [`package/dist/${name}.d.ts`, `package/src/${name}.ts`])
  expect(paths).toEqual(expect.arrayContaining(both))
})

test('the README packs and installs the file that the repository writes, and nothing of a registry', async () => {
  const readme = await readFile(join(folder, 'README.md'), 'utf8')
  const install = readme.slice(readme.indexOf('## Install'), readme.indexOf('## First call'))
  const [, command = ''] = /npx (pnpm@\S+ .*) \/path\/to\/your\/project$/m.exec(install) ?? []
  await run('npx', ['--yes', ...command.split(' '), directory], { cwd: root })
  const files = (await readdir(directory)).filter((name) => name.startsWith('payments-client-'))
  const installed = [...readme.matchAll(/npm install (\S+)/g)].map(([, what]) => what)
  expect(installed).toEqual(files.map((name) => `./${name}`))
}, 240_000)

test('the manifest needs no workspace: it has no dependency', async () => {
  const manifest = JSON.parse(await readFile(join(directory, 'package/package.json'), 'utf8'))
  expect(manifest.dependencies).toBeUndefined()
  expect(JSON.stringify(manifest.exports)).not.toContain('source')
  expect(manifest.version).toBe(version)
  expect(manifest.private).toBeUndefined()
})

test('the license lets tenants use the client, and the changelog has the version', async () => {
  const [manifest, changelog, license] = await Promise.all(
    ['package.json', 'CHANGELOG.md', 'LICENSE'].map((file) => readFile(join(directory, 'package', file), 'utf8')),
  )
  const parsed = JSON.parse(manifest ?? '')
  expect([parsed.license, license?.startsWith('MIT License')]).toEqual(['MIT', true])
  expect(
    listMissing({ ...parsed, repository: { url: 'git+https://git.example/client.git' } }, changelog ?? ''),
  ).toEqual([])
})

test('a package without a public repository, a license or its changelog is not published', () => {
  const lacks = listMissing({ version: '9.9.9', license: 'UNLICENSED' }, '# Changelog')
  expect(lacks.map((lack) => lack.split(':')[0])).toEqual(['repository.url', 'license', 'CHANGELOG.md'])
})

test('the package has no name of a machine, an internal address or another package of the workspace', async () => {
  const { stdout } = await run(
    'grep',
    ['-rEhoi', '@payments/[a-z-]+|/(home|root|work)/[a-z]+|[a-z0-9-]+\\.internal\\b', 'package'],
    {
      cwd: directory,
    },
  )
  expect([...new Set(stdout.trim().split('\n'))]).toEqual(['@payments/client'])
})

test('publint finds nothing', async () => {
  const data = tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength) as ArrayBuffer
  const { messages, pkg } = await publint({ pack: { tarball: data }, strict: true })
  expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([])
})

test('the types of every entry resolve (are the types wrong?)', async () => {
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)))
  if (analysis.types === false) throw new Error('The package has no types')
  expect(Object.keys(analysis.entrypoints).sort()).toEqual([
    '.',
    './currencies',
    './errors',
    './operations',
    './package.json',
    './schemas',
    './webhooks',
  ])
  // The package has ES modules only: resolution without `exports`, and types of a `require`, are not supported.
  const supported = analysis.problems.filter((problem) => {
    return !('resolutionKind' in problem) || !['node10', 'node16-cjs'].includes(problem.resolutionKind)
  })
  expect(supported).toEqual([])
})

const consumer = `
import { createClient, type PaymentServiceClient } from '@payments/client'
import { PaymentDeclinedError, PaymentServiceError, type ErrorCode } from '@payments/client/errors'
import type { CreateTransactionRequest, Transaction } from '@payments/client/schemas'
import { verifyWebhook, type WebhookEvent } from '@payments/client/webhooks'

const payments: PaymentServiceClient = createClient({ baseUrl: 'https://api.example.com', credential: 'key' })
export async function shop(event: WebhookEvent): Promise<number> {
  const transaction: Transaction = await payments.readTransaction({ transaction_id: 'a' })
  for await (const { amount, status } of payments.listTransactions({ status: 'captured' })) {
    if (amount > 5 && status === 'captured') break
  }
  const nothing: undefined = await payments.deleteKey({ api_key_id: 'a' })
  if (event.event_type === 'payment-proxy.transactions.capture') return event.metadata.payload.transaction.amount
  return nothing ?? transaction.amount
}
export const declined = (error: unknown): string | null | undefined =>
  error instanceof PaymentDeclinedError ? error.problem.decline_code : (error as PaymentServiceError).problem?.decline_code
export async function captured(): Promise<[number, string, Transaction]> {
  const { status, traceId, data } = await payments.transactions.capture({ transaction_id: 'a' }).withResponse()
  return [status, traceId, data]
}
export const request: CreateTransactionRequest = { business_unit_id: 'a', currency: 'EUR' }
export const code = (error: unknown): ErrorCode | null => (error instanceof PaymentServiceError ? error.code : null)
export const wrong = () => {
  // @ts-expect-error: a required field is missing
  void payments.createTransaction({ body: { currency: 'EUR' } })
  // @ts-expect-error: the name is misspelled
  void payments.readTransaction({ transactionId: 'a' })
  // @ts-expect-error: no such status
  payments.listTransactions({ status: 'nope' })
  // @ts-expect-error: no such member of a problem
  void declined(new Error()).problem.no_such_member
  // @ts-expect-error: the group has no such operation
  payments.transactions.delete
  // @ts-expect-error: internal operations are not part of the client
  payments.identifyKey
}
console.log(Object.keys(payments).length > 80 && typeof verifyWebhook)
`

/** The code of README, whose blocks continue each other. */
async function readmeCode(): Promise<string> {
  const readme = await readFile(join(directory, 'package/README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? '')
  expect(blocks.length).toBeGreaterThan(3)
  return blocks.join('\n')
}

/** The oldest that the package supports, the oldest of 22, and the one that runs the tests. */
const nodes = () => Promise.all([nodeRelease('20.19.0'), nodeRelease('22.0.0'), process.execPath])

test('an installed package compiles strictly, with the types of Node or of the browser, and runs in Node 20, 22 and 24', async () => {
  const shop = join(directory, 'shop')
  await mkdir(shop)
  await writeFile(join(shop, 'package.json'), '{"type":"module"}')
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', join(directory, 'client.tgz')], {
    cwd: shop,
  })
  await symlink(join(root, 'node_modules/@types'), join(shop, 'node_modules/@types'))
  await writeFile(join(shop, 'shop.ts'), consumer)
  await writeFile(join(shop, 'readme.ts'), await readmeCode())
  const options = ['--target', 'es2022', '--module', 'nodenext', '--strict', '--exactOptionalPropertyTypes']
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const compile = (...own: string[]) =>
    run(process.execPath, [compiler, ...options, ...own], { cwd: shop }).catch((error: unknown) => error)
  expect(await compile('--types', 'node', '--lib', 'es2022', 'shop.ts', 'readme.ts')).toMatchObject({ stdout: '' })
  expect(await compile('--lib', 'es2022,dom', '--types', '--noEmit', 'shop.ts')).toMatchObject({ stdout: '' })
  for (const node of await nodes()) {
    const { stdout } = await run(node, ['shop.js'], { cwd: shop })
    expect([node, stdout]).toEqual([node, 'function\n'])
  }
}, 600_000)

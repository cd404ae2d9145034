/** @slow It runs every command and example of the documents. */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { root } from '@payments/devkit/machine/profile'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { apiDocument, type Operation } from '../packages/docs-site/src/reference/document.ts'
import {
  type ExampleLanguage,
  preparations,
  renderExamples,
  toVariable,
} from '../packages/docs-site/src/reference/examples.ts'
import { withOwnValues } from '../packages/docs-site/src/reference/literal.ts'
import { withoutTypes } from './guide/program.ts'
import { type Onboarded, onboard } from './tenant.ts'

/** The examples of the API reference: each is well-formed, and a payment runs by the examples of each language. */
const run = promisify(execFile)
const document = apiDocument()
const operations = document.services.flatMap((service) => service.operations)
let directory: string

beforeAll(() => {
  mkdirSync(join(root, '.data', 'test'), { recursive: true })
  // Below the root, so that the client is found.
  directory = mkdtempSync(join(root, '.data', 'test', 'examples-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const readTexts = (operation: Operation) => renderExamples(operation, operation.body?.media.example)
/** The identifiers that an example takes from the reader. */
const listIds = (operation: Operation) => {
  const ids = new Set([...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))
  withOwnValues('', operation.body?.media.example, (id) => {
    ids.add(id)
    return id
  })
  return [...ids]
}
const named = (name: string) => {
  const operation = operations.find((one) => one.name === name)
  if (operation === undefined) throw new Error(`there is no operation ${name}`)
  return operation
}

describe('every example', () => {
  const ofTenants = operations.filter((operation) => operation.isAuthenticated)

  test('exists in three languages, unless its caller is no tenant', () => {
    expect(ofTenants.length).toBeGreaterThan(70)
    expect(ofTenants.filter((operation) => Object.keys(readTexts(operation)).length !== 3)).toEqual([])
  })

  test('in TypeScript compiles with strict checks', async () => {
    const functions = ofTenants.map((operation) => {
      const ids = listIds(operation).map((id) => `${toVariable(id)}: string`)
      return `export async function ${operation.name}(${ids.join(', ')}) {\n${readTexts(operation).typescript}\n}`
    })
    writeFileSync(join(directory, 'all.ts'), [preparations.typescript, ...functions].join('\n\n'))
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', '--types', 'node']
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const compiled = run(process.execPath, [tsc, ...options, '--skipLibCheck', '--ignoreConfig', 'all.ts'], {
      cwd: directory,
    })
    await expect(compiled.catch(({ stdout }: { stdout: string }) => ({ stdout }))).resolves.toMatchObject({
      stdout: '',
    })
  }, 120_000)

  test('in Python and for the shell can be parsed', async () => {
    const python = [preparations.python, ...ofTenants.map((operation) => readTexts(operation).python)].join('\n')
    await run('python3', ['-c', 'import ast, sys; ast.parse(sys.argv[1])', python], { timeout: 60_000 })
    const shell = [preparations.curl, ...operations.map((operation) => readTexts(operation).curl)].join('\n')
    await expect(run('bash', ['-n', '-c', shell], { timeout: 60_000 })).resolves.toBeDefined()
  }, 120_000)
})

describe('a payment by the examples', () => {
  const platform = sharedPlatform()
  let tenant: Onboarded

  beforeAll(async () => {
    tenant = await onboard(platform, 'Reference')
  }, 240_000)

  const environment = () => ({
    ...process.env,
    API: `${platform.gatewayUrl}/v1`,
    KEY: tenant.api_key.value,
    TENANT: tenant.tenant_id,
    UNIT: tenant.business_unit_id,
  })

  /** Runs the example of an operation with these ids in its path. Returns what it prints. */
  async function runExample(language: ExampleLanguage, name: string, ids: Readonly<Record<string, string>>) {
    const text = readTexts(named(name))[language] ?? ''
    const [command, ...args] = buildProgram(language, text, Object.entries(ids))
    return (await run(command ?? '', args, { cwd: directory, env: environment(), timeout: 120_000 })).stdout
  }

  function buildProgram(
    language: ExampleLanguage,
    text: string,
    ids: readonly (readonly [string, string])[],
  ): string[] {
    if (language === 'curl') {
      const values = ids.map(([id, value]) => `${id.toUpperCase()}=${value}`)
      return ['bash', '-e', '-c', [...values, text].join('\n')]
    }
    if (language === 'python') {
      const values = ids.map(([id, value]) => `${id} = "${value}"`)
      return ['python3', '-c', [preparations.python, ...values, text].join('\n')]
    }
    const file = join(directory, `${randomUUID()}.mjs`)
    const values = ids.map(([id, value]) => `const ${toVariable(id)} = '${value}'`)
    writeFileSync(file, withoutTypes([preparations.typescript, ...values, text].join('\n')))
    return [process.execPath, file]
  }

  const idIn = (printed: string) => /["']?\bid["']?: ?["']([0-9a-f-]{36})["']/.exec(printed)?.[1] ?? ''

  test.each([
    ['curl', 'authorized', '"status":"partially_refunded"'],
    ['typescript', 'authorized', "status: 'partially_refunded'"],
    ['python', 'authorized', "'status': 'partially_refunded'"],
  ] as const)(
    'in %s authorizes, captures, refunds and reads it',
    async (language, authorized, refunded) => {
      const created = await runExample(language, 'createAndAuthorizeTransaction', {})
      expect(created).toContain(authorized)
      const ids = { transaction_id: idIn(created) }
      expect(await runExample(language, 'captureTransaction', ids)).toContain('captured')
      await runExample(language, 'refundTransaction', ids)
      expect(await runExample(language, 'readTransaction', ids)).toContain(refunded)
      expect(await runExample(language, 'listTransactions', {})).toContain(ids.transaction_id)
    },
    240_000,
  )

  test.each(['curl', 'typescript', 'python'] as const)(
    'in %s creates a subscription and an API key, and deletes the key',
    async (language) => {
      expect(await runExample(language, 'createSubscription', {})).toContain('payment-proxy.transactions.*')
      const key = await runExample(language, 'createKey', {})
      expect(key).toContain('psk_dev_')
      await runExample(language, 'deleteKey', { api_key_id: idIn(key) })
      expect(await runExample(language, 'listKeys', {})).not.toContain(idIn(key))
    },
    240_000,
  )
})

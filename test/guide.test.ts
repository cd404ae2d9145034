/** @slow It runs every command and example of the documents. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { problemsByCode } from '@payments/contracts/edges/contracts'
import { webhookDelivery } from '@payments/contracts/openapi/components'
import { find } from '@payments/devkit/machine/machine'
import { freePorts } from '@payments/devkit/machine/ports'
import { root } from '@payments/devkit/machine/profile'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { findTestCard } from '../services/payment-proxy/src/connectors/sandbox-token.ts'
import { createSigningKey, signMessage } from '../services/webhooks/src/domain/attempt/signature.ts'
import { block, findBlocks, guides, readGuide, readOutputs, toPaste } from './guide/blocks.ts'
import { startCommand, withoutTypes } from './guide/program.ts'
import { createCaller, type Onboarded, onboard } from './tenant.ts'

/** Every command and program of the guides, run against one platform. */
const run = promisify(execFile)
const platform = sharedPlatform()
let reader: Onboarded
let receiving: Onboarded
let directory: string
let port: number

beforeAll(async () => {
  mkdirSync(join(root, '.data', 'test'), { recursive: true })
  directory = mkdtempSync(join(root, '.data', 'test', 'guide-'))
  ;[reader, receiving] = await Promise.all([onboard(platform, 'Reader'), onboard(platform, 'Receiver')])
  ;[port = 0] = await freePorts(1)
}, 240_000)

afterAll(() => {
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
})

const [definitions = ''] = toPaste('quick-start')

/** Pastes text after the definitions of the quick start. Returns what it prints. */
async function paste(tenant: Onboarded, text: string): Promise<string> {
  const values = `KEY=${tenant.api_key.value} TENANT=${tenant.tenant_id} UNIT=${tenant.business_unit_id}`
  const exported = definitions.replace(/^export .*$/m, `export ${values} API=${platform.gatewayUrl}/v1`)
  expect(exported).toContain(values)
  const script = `${exported}\n${text.replaceAll('9900', String(port))}`
  const cwd = mkdtempSync(join(directory, 'shell-'))
  const { stdout, stderr } = await run('bash', ['-e', '-c', script], { cwd, timeout: 180_000 })
  expect(stderr).toBe('')
  return stdout.trim()
}

const exampleSignature = signMessage(createSigningKey('whsec_cGF5bWVudC1zZXJ2aWNlLWd1aWRlLWV4YW1wbGUh'), {
  id: '0191e4a2-0000-7d11-8c55-91b6e0a7c031',
  timestampSeconds: 1_767_225_600,
  body: Buffer.from('{"event_type":"webhooks.test"}'),
}).slice('v1,'.length)

test.each(guides.filter((guide) => guide !== 'changelog'))(
  'the commands of %s print what their comments say',
  async (guide) => {
    const text = toPaste(guide)
      .filter((block) => block !== definitions)
      .join('\n')
    const expected = readOutputs(text).map((output) => (output === 'SIGNATURE' ? exampleSignature : output))
    expect(expected.length).toBeGreaterThan(0)
    expect((await paste(reader, text)).split(/\s+/)).toEqual(expected)
  },
  240_000,
)

test('every block of code of the guides is of a kind that these tests read, and each kind exists', () => {
  const known = [
    'sh',
    'sh server',
    'sh test-event',
    'json',
    ...programs.map(([language, file]) => `${language} ${file}`),
  ]
  known.push('ts errors.ts', 'ts pages.ts')
  const kinds = guides.flatMap(findBlocks).map(({ language, label }) => [language, label].filter(Boolean).join(' '))
  expect(kinds.filter((kind) => !known.includes(kind))).toEqual([])
  expect(known.filter((kind) => !kinds.includes(kind))).toEqual([])
})

const programs = [
  ['ts', 'receiver.ts'],
  ['python', 'receiver.py'],
  ['go', 'receiver.go'],
] as const

describe('a receiver of the guides', () => {
  let secret: string
  let subscription: string
  beforeAll(async () => {
    const [subscribe = ''] = toPaste('webhooks')
    const printed = await paste(receiving, `${subscribe}\necho "$SUBSCRIPTION $WEBHOOK_SECRET"`)
    ;[subscription = '', secret = ''] = printed.split(' ')
    expect(secret).toMatch(/^whsec_/)
  }, 120_000)

  const present = programs.filter(([language]) => language !== 'go' || find('go') !== undefined)
  if (present.length < programs.length) console.warn('Go is not installed, so receiver.go of the guides was not run.')

  test.each(present)(
    'in %s accepts what the platform signed, and nothing else (%s)',
    async (_language, file) => {
      const receiver = startCommand(prepare(file), {
        cwd: directory,
        env: { ...process.env, WEBHOOK_SECRET: secret },
      })
      try {
        await receiver.prints('Listening')
        await paste(receiving, `SUBSCRIPTION=${subscription}\n${block('webhooks', 'test-event')}`)
        await receiver.prints('verified webhooks.test')
        await expectVerification(secret)
        expect(receiver.printed()).toContain('rejected')
      } finally {
        await receiver.stop()
      }
    },
    240_000,
  )

  /** Writes the program into the directory. Returns the command that starts it. */
  function prepare(file: string): string {
    const command =
      findBlocks('webhooks').find(({ label, text }) => label === 'server' && text.includes(file))?.text ?? ''
    writeFileSync(join(directory, file), block('webhooks', file).replaceAll('9900', String(port)))
    return command
  }

  /** Sends the begin of a request, and ends the connection. */
  async function breakOff(): Promise<void> {
    const socket = connect(port, '127.0.0.1')
    const head = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{'
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.once('close', () => resolve())
      socket.write(head, () => socket.destroy())
    })
    // A receiver that ends because of this request has ended by then.
    await delay(500)
  }

  async function expectVerification(key: string): Promise<void> {
    const now = Math.floor(Date.now() / 1000)
    const body = Buffer.from('{"event_type":"direct","tenant_event_id":"1","metadata":{}}')
    const sign = (timestampSeconds: number, signedBody = body) =>
      signMessage(createSigningKey(key), { id: 'event', timestampSeconds, body: signedBody })
    const other = `v1,${Buffer.alloc(32).toString('base64')}`
    const post = async (headers: Record<string, string>) => {
      const signal = AbortSignal.timeout(60_000)
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers, signal })
      return response.status
    }
    const signed = (timestamp: number, signature: string) =>
      post({ 'webhook-id': 'event', 'webhook-timestamp': String(timestamp), 'webhook-signature': signature })
    expect(await signed(now, sign(now))).toBe(204)
    expect(await signed(now, `${other} ${sign(now)}`)).toBe(204)
    expect(await signed(now, other)).toBe(400)
    expect(await signed(now, sign(now, Buffer.from('{}')))).toBe(400)
    expect(await signed(now, sign(now).replace('v1,', 'v2,'))).toBe(400)
    expect(await signed(now - 3600, sign(now - 3600))).toBe(400)
    expect(await signed(now + 3600, sign(now + 3600))).toBe(400)
    expect(await post({})).toBe(400)
    await breakOff()
    expect(await signed(now, sign(now))).toBe(204)
  }
})

test('the TypeScript of the guides compiles with strict checks', async () => {
  const files = ['receiver.ts', 'errors.ts', 'pages.ts']
  for (const file of files) {
    const guide = guides.find((name) => findBlocks(name).some(({ label }) => label === file)) ?? ''
    writeFileSync(join(directory, file), block(guide, file))
  }
  const options = [
    '--strict',
    '--noEmit',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--types',
    'node',
    '--ignoreConfig',
  ]
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { stdout } = await run(process.execPath, [tsc, ...options, ...files], { cwd: directory })
  expect(stdout).toBe('')
}, 120_000)

/** The functions of a TypeScript program of the guides. */
async function importFunctions(guide: string, file: string) {
  const path = join(directory, file.replace('.ts', '.mjs'))
  writeFileSync(path, withoutTypes(block(guide, file)))
  return import(pathToFileURL(path).href)
}

test('errors.ts throws the code and the trace id of a problem', async () => {
  const { readBody } = await importFunctions('errors', 'errors.ts')
  const response = await fetch(`${platform.gatewayUrl}/v1/nowhere`, { headers: { 'trace-id': reader.tenant_id } })
  await expect(readBody(response)).rejects.toMatchObject({ code: 'route_not_found', traceId: reader.tenant_id })
  expect(await readBody(Response.json({ id: 1 }))).toEqual({ id: 1 })
})

test('pages.ts reads a list to its end', async () => {
  const { items } = await importFunctions('pagination', 'pages.ts')
  const call = createCaller(platform, reader.api_key.value, reader.tenant_id)
  const get = async (path: string) => (await call('GET', path.replace('limit=200', 'limit=2'))).body
  const names: string[] = []
  for await (const { name } of items(get, '/v1/rbac/permissions')) names.push(name)
  const all = await call('GET', '/v1/rbac/permissions?limit=200')
  expect(names.length).toBeGreaterThan(10)
  expect(names).toEqual(all.body.data.map(({ name }: { name: string }) => name))
})

test('the delivery that the guide shows has the members of a delivery', () => {
  const delivery = findBlocks('webhooks').find(({ language }) => language === 'json')
  expect(Object.keys(JSON.parse(String(delivery?.text))).sort()).toEqual(Object.keys(webhookDelivery.properties).sort())
})

test('each problem that a guide names with its status has that status', () => {
  const named = guides.flatMap((guide) => [...readGuide(guide).matchAll(/(\d{3}) `([a-z_]+)`/g)])
  expect(named.length).toBeGreaterThan(5)
  const wrong = named.filter(([, status, code = '']) => problemsByCode.get(code)?.status !== Number(status))
  expect(wrong.map(([text]) => text)).toEqual([])
})

test('the sandbox knows every token that the guide names', () => {
  const tokens = [...readGuide('sandbox').matchAll(/`(tok_sandbox_\w+)`/g)].map(([, token]) => String(token))
  expect(tokens.length).toBeGreaterThan(25)
  expect(tokens.filter((token) => findTestCard(token) === undefined)).toEqual([])
})

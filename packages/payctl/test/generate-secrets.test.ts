import { createPrivateKey } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { listEdges } from '@payments/contracts/edges/calls'
import { contracts } from '@payments/contracts/edges/contracts'
import { parse } from 'yaml'
import { runPayctl } from './run-payctl.ts'

/** `payctl secrets generate` on a new directory. */
let directory: string
let printed: { out: string; err: string }
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'secrets-'))
})
afterEach(() => {
  rmSync(directory, { recursive: true })
})

const addresses = [
  '--postgres',
  'postgresql://db.example:5432?sslmode=verify-full',
  '--rabbitmq',
  'amqps://mq.example/p',
]
const processes = [
  'gateway',
  'webhooks-dispatcher',
  'payctl',
  ...contracts.flatMap(({ service }) => [service, `migrate-${service}`]),
]

async function generate(...args: string[]): Promise<number> {
  const { code, stdout: out, stderr: err } = await runPayctl(['secrets', 'generate', ...addresses, ...args])
  printed = { out, err }
  return code
}

const env = (...args: string[]) => generate('--environment', 'qa', '--format', 'env', '--output', directory, ...args)
const manifests = (...args: string[]) => generate('--environment', 'qa', '--output', directory, ...args)

const secretFile = (name: string) => join(directory, 'secrets', name)
const contents = () =>
  Object.fromEntries(
    readdirSync(join(directory, 'secrets')).map((name) => [name, readFileSync(secretFile(name), 'utf8')]),
  )

function readVariables(process: string): Record<string, string> {
  const lines = readFileSync(secretFile(`${process}.env`), 'utf8')
    .trimEnd()
    .split('\n')
  return Object.fromEntries(lines.map((line) => /^(\w+)='(.*)'$/.exec(line)?.slice(1) ?? ['unreadable', line]))
}
const readKeys = (process: string, variable: string): Record<string, string> =>
  JSON.parse(readVariables(process)[variable] ?? '{}')

test('gives both ends of each pair of processes the same key, a different one per pair', async () => {
  expect(await env()).toBe(0)
  const edges = listEdges(contracts)
  const keys = edges.map(({ issuer, audience }) => {
    const key = readKeys(issuer, 'ASSERTION_SIGN_KEYS')[audience]
    expect([issuer, audience, readKeys(audience, 'ASSERTION_VERIFY_KEYS')[issuer]]).toEqual([issuer, audience, key])
    return Buffer.from(key ?? '', 'base64')
  })
  expect(keys.every(({ length }) => length === 32)).toBe(true)
  expect(new Set(keys.map(String)).size).toBe(edges.length)
  for (const [producer, key] of Object.entries(readKeys('audit', 'AUDIT_MESSAGE_KEYS')))
    expect(readKeys(producer, 'AUDIT_MESSAGE_KEY')).toEqual({ [producer]: key })
})

test('gives each service a database role, a RabbitMQ user and encryption keys of its own', async () => {
  await env()
  const passwords = contracts.map(({ service }) => new URL(readVariables(service)['DATABASE_URL'] ?? '').password)
  const owners = contracts.map(({ service }) => new URL(readVariables(`migrate-${service}`)['DATABASE_URL'] ?? ''))
  const users = contracts.map(({ service }) => new URL(readVariables(service)['AMQP_URL'] ?? '').username)
  expect(new Set(passwords).size).toBe(contracts.length)
  expect(new Set(users).size).toBe(contracts.length)
  expect(new Set(owners.map(({ username, password }) => `${username} ${password}`)).size).toBe(1)
  expect(readVariables('invite-to-pay')['DATABASE_URL']).toMatch(
    /^postgresql:\/\/payments_invite_to_pay_app:[\w-]{43}@db\.example:5432\/payments_invite_to_pay\?sslmode=verify-full$/,
  )
  const withVault = ['api-key', 'webhooks', 'business-unit', 'identity', 'invite-to-pay']
  const vaults = withVault.map((name) => readKeys(name, 'VAULT_KEYS')['qa-1'])
  expect(new Set(vaults).size).toBe(5)
  const dispatcher = readVariables('webhooks-dispatcher')
  expect(readVariables('webhooks')).toMatchObject({ ...dispatcher })
})

test('gives identity a pepper, and a P-256 key that signs the JWTs of sessions', async () => {
  await env()
  const [peppers, keys] = [readKeys('identity', 'SESSION_PEPPERS'), readKeys('identity', 'SESSION_TOKEN_KEYS')]
  expect(Buffer.from(peppers['qa-1'] ?? '', 'base64')).toHaveLength(32)
  const key = createPrivateKey({ key: Buffer.from(keys['qa-1'] ?? '', 'base64'), format: 'der', type: 'pkcs8' })
  expect(key.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' })
  expect(readVariables('identity')).toMatchObject({ SESSION_PEPPER_CURRENT: 'qa-1', SESSION_TOKEN_KEY_CURRENT: 'qa-1' })
})

test('writes files that only their owner reads, and prints no value', async () => {
  await env()
  expect(Object.keys(contents()).sort()).toEqual(processes.map((name) => `${name}.env`).sort())
  for (const file of [
    ...Object.keys(contents()).map(secretFile),
    join(directory, 'postgresql.sql'),
    join(directory, 'rabbitmq.json'),
  ])
    expect([file, statSync(file).mode & 0o777]).toEqual([file, 0o600])
  expect(statSync(join(directory, 'secrets')).mode & 0o777).toBe(0o700)
  const values = processes.flatMap((name) => Object.values(readVariables(name)))
  for (const value of values.filter((one) => one.length > 10)) expect(printed.out).not.toContain(value)
})

describe.each([
  ['env', env],
  ['kubernetes', manifests],
] as const)('with --format %s', (format, run) => {
  test('a second run changes no file', async () => {
    await run()
    const before = contents()
    const servers = ['postgresql.sql', 'rabbitmq.json'].map((name) => readFileSync(join(directory, name), 'utf8'))
    expect(await run('--json')).toBe(0)
    expect(contents()).toEqual(before)
    expect(['postgresql.sql', 'rabbitmq.json'].map((name) => readFileSync(join(directory, name), 'utf8'))).toEqual(
      servers,
    )
    const { files } = JSON.parse(printed.out) as { files: { added: string[]; unchanged: string[] }[] }
    expect(files.flatMap(({ added }) => added)).toEqual([])
    expect(files.every(({ unchanged }) => unchanged.length > 0)).toBe(true)
  })

  test('adds a key that is missing at both ends, and changes nothing else', async () => {
    await run()
    const extension = format === 'env' ? 'env' : 'yaml'
    const before = contents()
    for (const [file, variable, entry] of [
      ['payment-proxy', 'ASSERTION_SIGN_KEYS', 'business-unit'],
      ['business-unit', 'ASSERTION_VERIFY_KEYS', 'payment-proxy'],
    ] as const) {
      const text = before[`${file}.${extension}`] ?? ''
      const without = text
        .split('\n')
        .map((line) =>
          line.trimStart().startsWith(variable)
            ? line.replace(new RegExp(`"${entry}":"[^"]+",?`), '').replace(',}', '}')
            : line,
        )
        .join('\n')
      expect(without.length).toBeLessThan(text.length - 60)
      writeFileSync(secretFile(`${file}.${extension}`), `# unchanged by the operator\n${without}`)
    }
    const removed = contents()
    expect(await run('--json')).toBe(0)
    const { files } = JSON.parse(printed.out) as { files: { file: string; added: string[] }[] }
    expect(files.filter(({ added }) => added.length > 0).map(({ file, added }) => [file, added])).toEqual([
      [`secrets/payment-proxy.${extension}`, ['ASSERTION_SIGN_KEYS']],
      [`secrets/business-unit.${extension}`, ['ASSERTION_VERIFY_KEYS']],
    ])
    const keys = (text = '', variable: string) =>
      JSON.parse(new RegExp(`${variable}(?:: |=)'(.*)'`).exec(text)?.[1] ?? '{}') as Record<string, string>
    const after = contents()
    const added = keys(after[`payment-proxy.${extension}`], 'ASSERTION_SIGN_KEYS')['business-unit']
    expect(Buffer.from(added ?? '', 'base64')).toHaveLength(32)
    expect(keys(after[`business-unit.${extension}`], 'ASSERTION_VERIFY_KEYS')['payment-proxy']).toBe(added)
    for (const [name, text] of Object.entries(after)) {
      const lines = (removed[name] ?? '').split('\n')
      const changed = text.split('\n').filter((line, at) => line !== lines[at])
      expect([name, changed.length]).toEqual([name, /^(payment-proxy|business-unit)\./.test(name) ? 1 : 0])
    }
  })
})

test('copies the keys of a lost file from the other ends', async () => {
  await env()
  const before = readVariables('payctl')
  rmSync(secretFile('payctl.env'))
  expect(await env()).toBe(0)
  expect(readVariables('payctl')).toEqual(before)
  rmSync(secretFile('webhooks.env'))
  const { VAULT_KEYS } = readVariables('webhooks-dispatcher')
  expect(await env()).toBe(0)
  expect(readVariables('webhooks')).toMatchObject({ VAULT_KEYS })
})

test('keeps rotated keys: an audit key of another name, and a current key-encryption key', async () => {
  await env()
  const audit = readKeys('audit', 'AUDIT_MESSAGE_KEYS')
  const { gateway, ...others } = audit
  edit('gateway', 'AUDIT_MESSAGE_KEY', { 'gateway-2': gateway })
  edit('audit', 'AUDIT_MESSAGE_KEYS', others)
  edit('api-key', 'VAULT_KEYS', { 'qa-1': gateway, 'qa-2': others['rbac'] })
  expect(await env()).toBe(0)
  expect(readKeys('gateway', 'AUDIT_MESSAGE_KEY')).toEqual({ 'gateway-2': gateway })
  expect(readKeys('audit', 'AUDIT_MESSAGE_KEYS')).toEqual({ ...others, 'gateway-2': gateway })
  expect(readVariables('api-key')).toMatchObject({ VAULT_KEY_CURRENT: 'qa-1' })
  expect(Object.keys(readKeys('api-key', 'VAULT_KEYS'))).toEqual(['qa-1', 'qa-2'])
})

function edit(process: string, variable: string, keys: object): void {
  const text = readFileSync(secretFile(`${process}.env`), 'utf8')
  writeFileSync(
    secretFile(`${process}.env`),
    text.replace(new RegExp(`^${variable}=.*$`, 'm'), `${variable}='${JSON.stringify(keys)}'`),
  )
}

test.each([
  [
    'ends with different keys',
    () => edit('rbac', 'ASSERTION_SIGN_KEYS', { 'api-key': Buffer.alloc(32, 7).toString('base64') }),
    /ASSERTION_SIGN_KEYS of rbac, entry api-key and ASSERTION_VERIFY_KEYS of api-key, entry rbac: the keys differ/,
  ],
  [
    'a current id without its key',
    () => edit('webhooks', 'VAULT_KEYS', { 'qa-9': Buffer.alloc(32, 7).toString('base64') }),
    /VAULT_KEY_CURRENT of webhooks is qa-1, which VAULT_KEYS does not contain/,
  ],
  [
    'keys that are no JSON',
    () => breakLine('gateway', 'ASSERTION_SIGN_KEYS'),
    /ASSERTION_SIGN_KEYS of gateway is not a JSON/,
  ],
  [
    'another environment',
    () => breakLine('rbac', 'ENVIRONMENT'),
    /rbac\.env belongs to the environment "\{", not to qa/,
  ],
])('rejects %s in one line and writes nothing', async (_case, damage, message) => {
  await env()
  damage()
  const before = contents()
  expect(await env()).toBe(1)
  expect(printed.err).toMatch(message)
  expect(printed.err.trimEnd().split('\n')).toHaveLength(1)
  expect(contents()).toEqual(before)
})

function breakLine(process: string, variable: string): void {
  const text = readFileSync(secretFile(`${process}.env`), 'utf8')
  writeFileSync(secretFile(`${process}.env`), text.replace(new RegExp(`^${variable}=.*$`, 'm'), `${variable}='{'`))
}

test('rejects a directory of the other format', async () => {
  await manifests()
  expect(await env()).toBe(1)
  expect(printed.err).toContain('use --format kubernetes')
})

test('reads values of a manifest that was exported from a cluster', async () => {
  await manifests()
  const manifest = parse(readFileSync(secretFile('rbac.yaml'), 'utf8'))
  const data = Object.entries<string>(manifest.stringData).map(([name, value]) => [
    name,
    Buffer.from(value).toString('base64'),
  ])
  const exported = { ...manifest, stringData: undefined, data: Object.fromEntries(data) }
  writeFileSync(secretFile('rbac.yaml'), JSON.stringify(exported))
  const before = contents()
  expect(await manifests()).toBe(0)
  expect(contents()).toEqual(before)
})

test('prints manifests of every Secret without --output, and takes the issuers of JWTs from a file', async () => {
  const issuers = [{ issuer: 'https://id.example', tenants: '*' }]
  mkdirSync(join(directory, 'input'))
  const file = join(directory, 'input', 'issuers.json')
  writeFileSync(file, JSON.stringify(issuers, null, 2))
  expect(await generate('--environment', 'prod', '--jwt-issuers', file)).toBe(0)
  const secrets = printed.out.split('---\n').map((text) => parse(text))
  expect(secrets).toHaveLength(2 + 2 * contracts.length)
  for (const { kind, metadata } of secrets) expect([kind, metadata.namespace]).toEqual(['Secret', 'payments-prod'])
  const gateway = secrets.find(({ metadata }) => metadata.name === 'gateway')
  expect(JSON.parse(gateway.stringData.JWT_ISSUERS)).toEqual(issuers)
  expect(await generate('--environment', 'prod', '--format', 'env')).toBe(2)
})

test.each([
  ['no JSON', 'nonsense', /cannot be read as JSON/],
  ['no list', '{}', /must contain a JSON array/],
])('rejects a file of issuers with %s', async (_case, text, message) => {
  const file = join(directory, 'issuers.json')
  writeFileSync(file, text)
  expect(await generate('--environment', 'qa', '--jwt-issuers', file)).toBe(1)
  expect(printed.err).toMatch(message)
})

import { execFile } from 'node:child_process'
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { runPayctl } from './run-payctl.ts'

/** The command line with its environment. What it does against the services is tested where they run together. */
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
let directory: string
let env: Record<string, string>

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'payctl-'))
  const keyFile = join(directory, 'issuer.pem')
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const key = randomBytes(32).toString('base64')
  const unreachable = 'http://127.0.0.1:1'
  env = {
    ENVIRONMENT: 'dev',
    API_KEY_URL: unreachable,
    RBAC_URL: unreachable,
    WEBHOOKS_URL: unreachable,
    BUSINESS_UNIT_URL: unreachable,
    PAYMENT_PROXY_URL: unreachable,
    COMMUNICATION_URL: unreachable,
    IDENTITY_URL: unreachable,
    INVITE_TO_PAY_URL: unreachable,
    AUDIT_URL: unreachable,
    ASSERTION_SIGN_KEYS: JSON.stringify(
      Object.fromEntries(
        [
          'api-key',
          'rbac',
          'webhooks',
          'business-unit',
          'payment-proxy',
          'communication',
          'identity',
          'invite-to-pay',
          'audit',
        ].map((service) => [service, key]),
      ),
    ),
    DEV_ISSUER: 'urn:test',
    DEV_ISSUER_KEY_FILE: keyFile,
  }
})
afterAll(() => rmSync(directory, { recursive: true }))

async function payctl(args: readonly string[], overrides: Readonly<Record<string, string>> = {}) {
  const { code, stdout: out, stderr: err } = await runPayctl(args, { env: { ...env, ...overrides } })
  return { code, out, err }
}

describe('a process', () => {
  const entry = resolve(import.meta.dirname, '../dist/main.js')
  const start = (args: readonly string[]) =>
    new Promise<Awaited<ReturnType<typeof payctl>>>((done) => {
      execFile(process.execPath, [entry, ...args], { env }, (error, out, err) => {
        done({ code: error === null ? 0 : Number(error.code), out, err })
      })
    })

  test.each([
    [0, ['completion', 'fish']],
    [1, ['tenant', 'create', '--name', 'Acme', '--show-key']],
    [2, ['token', '--tenant', randomUUID()]],
  ])('ends with exit code %i after its whole output', async (code, args) => {
    const ended = await start(args)
    expect(ended).toEqual(await payctl(args))
    expect([ended.code, ended.out === '', ended.err === '']).toEqual([code, code > 0, code === 0])
  })

  test('whose reader is gone ends as SIGPIPE ends other tools', async () => {
    const script = '"$@" | true; echo "${PIPESTATUS[0]}"'
    const command = ['-c', script, 'bash', process.execPath, entry, 'completion', 'fish']
    expect(await promisify(execFile)('bash', command)).toEqual({ stdout: '141\n', stderr: '' })
  })
})

test('a call in the process of the test puts everything back, and excludes another call', async () => {
  const read = () => [process.env, process.stdout.write, process.stderr.write, process.stdout.isTTY]
  const before = read()
  const running = payctl(['--version'])
  await expect(payctl(['--version'])).rejects.toThrow('one command line at a time')
  expect((await running).code).toBe(0)
  for (const [at, value] of read().entries()) expect(value).toBe(before[at])
})

describe('token', () => {
  test.each([[], ['--role', 'admin', '--user', 'ada@example.com']])(
    'is issued for a role or for a user: %j',
    async (...choice) => {
      const { code, out, err } = await payctl(['token', '--tenant', randomUUID(), ...choice])
      expect([code, out, err]).toEqual([2, '', 'payctl: give either --user or --role\n'])
    },
  )

  test.each(['qa', 'prod'])('is refused in %s', async (environment) => {
    const { code, out, err } = await payctl(['token', '--tenant', randomUUID(), '--role', 'admin'], {
      ENVIRONMENT: environment,
    })
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain('ENVIRONMENT=dev only')
  })

  test('is not issued when rbac cannot say whether there is such a role', async () => {
    const { code, out, err } = await payctl(['token', '--tenant', randomUUID(), '--role', 'admin'])
    expect([code, out]).toEqual([1, ''])
    expect(err).toBe('payctl: The rbac service cannot be reached at the moment (service_unavailable)\n')
  })
})

test('an erasure without a terminal and without --yes calls no service', async () => {
  const { code, out, err } = await payctl(['user', 'erase', '--user', randomUUID()])
  expect([code, out, err]).toEqual([2, '', 'payctl: an erasure cannot be undone: add --yes\n'])
})

test('the end of every session of a tenant, without a terminal and without --yes, calls no service', async () => {
  const all = ['user', 'sessions', '--tenant', randomUUID(), '--end']
  const message = 'payctl: without --user and --email, every session of the tenant ends: add --yes\n'
  expect(await payctl(all)).toEqual({ code: 2, out: '', err: message })
  const calls = [[...all, '--yes'], [...all, '--user', randomUUID()], all.slice(0, -1)]
  for (const args of calls) expect((await payctl(args)).err).toContain('The identity service cannot be reached')
})

test('a day of the future has no books to compare, and the day that has started has', async () => {
  const reconcile = (day: Date) =>
    payctl(['payments', 'reconcile', '--unit', randomUUID(), '--day', day.toISOString().slice(0, 10)])
  const { code, out, err } = await reconcile(new Date(Date.now() + 2 * 86_400_000))
  expect([code, out]).toEqual([2, ''])
  expect(err).toMatch(/--day.* must be a day, as 2026-01-31, that is not in the future in UTC\n$/)
  expect((await reconcile(new Date())).err).toContain('The payment-proxy service cannot be reached')
})

test.each([
  ['user remove', ['user', 'remove'], 'give either --user or --email'],
  ['user sessions', ['user', 'sessions'], '--user and --email exclude each other'],
])('%s takes a user by id or by email address, not by both', async (_name, command, message) => {
  const both = ['--tenant', randomUUID(), '--user', randomUUID(), '--email', 'ada@example.com']
  expect(await payctl([...command, ...both])).toEqual({ code: 2, out: '', err: `payctl: ${message}\n` })
})

test('the link of an administrator needs an administrator', async () => {
  const { code, err } = await payctl(['tenant', 'create', '--name', 'Acme', '--show-key', '--print-link'])
  expect([code, err]).toEqual([2, 'payctl: --print-link needs --admin-email\n'])
})

test.each(['redrive', 'discard'])('dlq %s wants either ids or all, and does nothing without', async (verb) => {
  for (const choice of [[], ['--all', '--id', randomUUID()], ['--all', '--status-code', '500']]) {
    const { code, err } = await payctl(['dlq', verb, 'webhooks.dead-letters', ...choice])
    expect([code, err]).toEqual([2, 'payctl: give one of --id, --all and a filter\n'])
  }
})

test('reports in one line that a service cannot be reached', async () => {
  const { code, err } = await payctl(['tenant', 'create', '--name', 'Acme', '--show-key'])
  expect([code, err]).toEqual([1, 'payctl: The rbac service cannot be reached at the moment (service_unavailable)\n'])
})

test('dlq list reports every service that cannot be reached', async () => {
  const { code, out, err } = await payctl(['dlq', 'list', '--json'])
  expect([code, out]).toEqual([1, '[]\n'])
  const services = ['audit', 'communication', 'invite-to-pay', 'payment-proxy', 'webhooks']
  const reports = services.map((name) => `The ${name} service cannot be reached at the moment (service_unavailable)`)
  expect(err).toBe(`payctl: ${reports.join('; ')}\n`)
})

test.each(['qa', 'prod'])('wants the name of its operator in %s, and none in dev', async (environment) => {
  const args = ['tenant', 'create', '--name', 'Acme', '--show-key']
  const { code, err } = await payctl(args, { ENVIRONMENT: environment })
  expect([code, err]).toEqual([1, 'payctl: PAYCTL_OPERATOR must name you unless ENVIRONMENT is dev\n'])
  const named = await payctl(args, { ENVIRONMENT: environment, PAYCTL_OPERATOR: 'ada@example.com' })
  expect(named.err).toContain('service_unavailable')
  const unreadable = await payctl(args, { PAYCTL_OPERATOR: 'ada\nbob' })
  expect(unreadable.err).toContain('PAYCTL_OPERATOR: must be printable ASCII without spaces')
})

test('names everything that is missing from its environment at once', async () => {
  const { code, err } = await payctl(['dlq', 'list'], { RBAC_URL: '', WEBHOOKS_URL: '' })
  expect(code).toBe(1)
  expect(err).toMatch(/RBAC_URL: is not set[\s\S]*WEBHOOKS_URL: is not set/)
})

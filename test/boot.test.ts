/** @slow It starts its own platform. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { loadSecrets } from '@payments/devkit/machine/secrets'
import { processPlans } from '@payments/devkit/platform/process-plan'
import { portsFrom } from '@payments/devkit/platform/process-ports'
import { buildAmqpUrls } from '@payments/devkit/servers/broker-users'
import { services } from '@payments/devkit/servers/databases'
import { environments } from '../scripts/texts/environments.mjs'

const root = resolve(import.meta.dirname, '..')
const directory = mkdtempSync(join(tmpdir(), 'boot-'))
afterAll(() => rmSync(directory, { recursive: true }))

const plans = processPlans({
  directory,
  secrets: loadSecrets(directory),
  ports: portsFrom({}),
  databaseUrls: Object.fromEntries(services.map((name) => [name, 'postgresql://127.0.0.1:9/x'])) as never,
  amqpUrls: buildAmqpUrls('amqp://127.0.0.1:9'),
  messagingPrefix: 'boot',
  overrides: {},
})

const zeros = Buffer.alloc(32).toString('base64')
const word = Buffer.alloc(32, 'changeme').toString('base64')
const short = Buffer.alloc(16, 7).toString('base64')
/** By variable: the value, and what is said of it. */
const bad: Readonly<Record<string, readonly [string, string]>> = {
  VAULT_KEYS: [JSON.stringify({ dev: word }), 'dev: looks like a default'],
  API_KEY_PEPPERS: [JSON.stringify({ dev: short }), 'dev: must be base64 of 32 bytes'],
  ASSERTION_SIGN_KEYS: [JSON.stringify({ rbac: short }), 'rbac: must be base64 of 32 bytes'],
  AUDIT_MESSAGE_KEY: [JSON.stringify({ rbac: word }), 'rbac: looks like a default'],
  AUDIT_MESSAGE_KEYS: [JSON.stringify({ gateway: short }), 'gateway: must be base64 of 32 bytes'],
  EVENT_SIGN_KEYS: [JSON.stringify({ webhooks: short }), 'webhooks: must be base64 of 32 bytes'],
  EVENT_VERIFY_KEYS: [JSON.stringify({ rbac: word }), 'rbac: looks like a default'],
  AUDIT_SEAL_KEYS: [JSON.stringify({ dev: zeros }), 'dev: looks like a default'],
  ASSERTION_VERIFY_KEYS: [JSON.stringify({ gateway: zeros }), 'gateway: looks like a default'],
}

const starts = plans.map((plan) => [plan.name, plan] as const)
test.each(starts)('%s ends, and names every key that is missing, short, or publicly known', async (_, plan) => {
  const [, folder = '', schema = ''] = environments.find(([name]) => name?.replace(' ', '-') === plan.name) ?? []
  const { shape } = (await import(join(root, folder, 'src/config.ts')))[schema]
  const wrong = Object.entries(bad).filter(([name]) => name in shape)
  expect(wrong.length).toBeGreaterThan(0)
  const env = { ...plan.env, ...Object.fromEntries(wrong.map(([name, [value]]) => [name, value])), AMQP_URL: '' }
  const { code, said } = await start(join(root, plan.directory, plan.entry), env)
  expect(code).toBe(1)
  for (const [name, [, complaint]] of wrong) expect(said).toContain(`${name}: ${complaint}`)
  expect(said).toContain('AMQP_URL: is not set')
  for (const secret of [zeros, word, short]) expect(said).not.toContain(secret)
})

function start(entry: string, env: NodeJS.ProcessEnv): Promise<{ code: number | null; said: string }> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [entry], { env, timeout: 60_000 })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
    child.once('close', (code) => done({ code, said }))
  })
}

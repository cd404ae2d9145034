import { randomBytes } from 'node:crypto'
import { afterEach, expect, test } from '@jest/globals'
import { readConfig } from '../src/config.ts'

const key = () => randomBytes(32).toString('base64')
const environment = {
  ENVIRONMENT: 'dev',
  PORT: '0',
  DATABASE_URL: 'postgresql://localhost/x',
  AMQP_URL: 'amqp://localhost',
  RBAC_URL: 'http://127.0.0.1:8082',
  AUDIT_MESSAGE_KEY: JSON.stringify({ 'api-key': key() }),
  EVENT_SIGN_KEYS: JSON.stringify({ webhooks: key() }),
  ASSERTION_VERIFY_KEYS: JSON.stringify({ gateway: key() }),
  ASSERTION_SIGN_KEYS: JSON.stringify({ rbac: key() }),
  VAULT_KEYS: JSON.stringify({ k1: key() }),
  VAULT_KEY_CURRENT: 'k1',
  API_KEY_PEPPERS: JSON.stringify({ p1: key() }),
  API_KEY_PEPPER_CURRENT: 'p1',
}

const before = { ...process.env }
afterEach(() => {
  process.env = { ...before }
})

test('accepts a complete environment', () => {
  process.env = { ...environment }
  expect(readConfig()).toMatchObject({ ENVIRONMENT: 'dev', MESSAGING_PREFIX: '', VAULT_KEY_CURRENT: 'k1' })
})

test('rejects an empty environment and names every missing variable', () => {
  process.env = {}
  const missing = Object.keys(environment)
  const message = messageOf(readConfig)
  for (const name of missing) expect(message).toContain(`${name}: is not set`)
})

test.each([
  ['VAULT_KEYS', JSON.stringify({ k1: Buffer.alloc(32).toString('base64') })],
  ['VAULT_KEY_CURRENT', 'k2'],
  ['API_KEY_PEPPERS', JSON.stringify({ p1: randomBytes(16).toString('base64') })],
  ['API_KEY_PEPPER_CURRENT', 'p2'],
  ['ENVIRONMENT', 'staging'],
])('rejects an invalid %s and names it, without showing a secret', (name, value) => {
  process.env = { ...environment, [name]: value }
  const message = messageOf(readConfig)
  expect(message).toContain(`  ${name}: `)
  expect(message).not.toContain(environment.VAULT_KEYS.slice(8, 40))
})

function messageOf(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    return String(error)
  }
  throw new Error('nothing was rejected')
}

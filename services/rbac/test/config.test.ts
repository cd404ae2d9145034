import { randomBytes } from 'node:crypto'
import { afterEach, expect, test } from '@jest/globals'
import { readConfig } from '../src/config.ts'

const key = () => randomBytes(32).toString('base64')
const environment = {
  ENVIRONMENT: 'dev',
  PORT: '0',
  DATABASE_URL: 'postgresql://localhost/x',
  AMQP_URL: 'amqp://localhost',
  API_KEY_URL: 'http://127.0.0.1:8081',
  AUDIT_MESSAGE_KEY: JSON.stringify({ rbac: key() }),
  EVENT_SIGN_KEYS: JSON.stringify({ webhooks: key() }),
  ASSERTION_VERIFY_KEYS: JSON.stringify({ gateway: key() }),
  ASSERTION_SIGN_KEYS: JSON.stringify({ 'api-key': key() }),
}

const before = { ...process.env }
afterEach(() => {
  process.env = { ...before }
})

test('accepts a complete environment', () => {
  process.env = { ...environment }
  expect(readConfig()).toMatchObject({ ENVIRONMENT: 'dev', MESSAGING_PREFIX: '', API_KEY_URL: environment.API_KEY_URL })
})

test('rejects an empty environment and names every missing variable', () => {
  process.env = {}
  for (const name of Object.keys(environment)) expect(readConfig).toThrow(`${name}: is not set`)
})

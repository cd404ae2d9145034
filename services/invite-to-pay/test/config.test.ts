import { randomBytes } from 'node:crypto'
import { afterEach, expect, test } from '@jest/globals'
import { readConfig } from '../src/config.ts'

const key = () => randomBytes(32).toString('base64')
const environment = {
  ENVIRONMENT: 'prod',
  PORT: '0',
  DATABASE_URL: 'postgresql://localhost/x',
  AMQP_URL: 'amqp://localhost',
  AUDIT_MESSAGE_KEY: JSON.stringify({ 'invite-to-pay': key() }),
  EVENT_SIGN_KEYS: JSON.stringify({ webhooks: key() }),
  EVENT_VERIFY_KEYS: JSON.stringify({ 'business-unit': key() }),
  VAULT_KEYS: JSON.stringify({ k1: key() }),
  VAULT_KEY_CURRENT: 'k1',
  PAY_BASE_URL: 'https://pay.example.com',
  RBAC_URL: 'http://127.0.0.1:8085',
  BUSINESS_UNIT_URL: 'http://127.0.0.1:8086',
  PAYMENT_PROXY_URL: 'http://127.0.0.1:8087',
  COMMUNICATION_URL: 'http://127.0.0.1:8088',
  ASSERTION_VERIFY_KEYS: JSON.stringify({ gateway: key() }),
  ASSERTION_SIGN_KEYS: JSON.stringify({ 'payment-proxy': key() }),
}

const before = { ...process.env }
afterEach(() => {
  process.env = { ...before }
})

const read = (changes: Readonly<Record<string, string>>) => {
  process.env = { ...environment, ...changes }
  return readConfig()
}

test('links have an https origin; http is for development', () => {
  expect(read({ PAY_BASE_URL: 'https://pay.example.com/' }).PAY_BASE_URL).toBe('https://pay.example.com')
  expect(read({ ENVIRONMENT: 'dev', PAY_BASE_URL: 'http://127.0.0.1:8080' }).PAY_BASE_URL).toBe('http://127.0.0.1:8080')
  for (const url of ['http://pay.example.com', 'https://pay.example.com/a', 'https://u:p@pay.example.com', 'ftp://x']) {
    expect(() => read({ PAY_BASE_URL: url })).toThrow('PAY_BASE_URL')
  }
  expect(() => read({ VAULT_KEY_CURRENT: 'k2' })).toThrow('VAULT_KEY_CURRENT')
})

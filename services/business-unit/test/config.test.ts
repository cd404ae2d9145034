import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { readConfig } from '../src/config.ts'

const key = () => randomBytes(32).toString('base64')
const good = {
  ENVIRONMENT: 'dev',
  PORT: '0',
  DATABASE_URL: 'postgresql://app@127.0.0.1/business_unit',
  AMQP_URL: 'amqp://127.0.0.1',
  VAULT_KEYS: JSON.stringify({ k1: key() }),
  VAULT_KEY_CURRENT: 'k1',
  AUDIT_MESSAGE_KEY: JSON.stringify({ 'business-unit': key() }),
  EVENT_SIGN_KEYS: JSON.stringify({ webhooks: key() }),
  PAY_BASE_URL: 'https://pay.example.com',
  ASSERTION_VERIFY_KEYS: JSON.stringify({ gateway: key() }),
}
const inherited = process.env
const environment = (given: Record<string, string>) => {
  process.env = { ...good, ...given } as NodeJS.ProcessEnv
}
beforeEach(() => environment({}))
afterEach(() => {
  process.env = inherited
})

test('rejects an empty environment and names every missing variable', () => {
  process.env = {} as NodeJS.ProcessEnv
  for (const name of Object.keys(good)) expect(readConfig).toThrow(`${name}: is not set`)
})

test('takes the origins of card pages by connector, as origins, and https outside of development', () => {
  expect(readConfig().CARD_PAGE_ORIGINS).toEqual({})
  const origins = {
    stripe: ['https://cards.example.com/'],
    http: ['https://a.example.com:8443', 'https://B.example.com'],
  }
  environment({ ENVIRONMENT: 'prod', CARD_PAGE_ORIGINS: JSON.stringify(origins) })
  expect(readConfig().CARD_PAGE_ORIGINS).toEqual({
    stripe: ['https://cards.example.com'],
    http: ['https://a.example.com:8443', 'https://b.example.com'],
  })
  for (const value of [
    '{"cash":["https://a.example.com"]}',
    '{"http":["https://a.example.com/x"]}',
    '{"http":["*"]}',
    '[]',
    '{"http":"https://a.example.com"}',
  ]) {
    environment({ CARD_PAGE_ORIGINS: value })
    expect(readConfig).toThrow('CARD_PAGE_ORIGINS')
  }
  environment({ ENVIRONMENT: 'qa', CARD_PAGE_ORIGINS: '{"http":["http://a.example.com"]}' })
  expect(readConfig).toThrow('must be https')
  environment({ ENVIRONMENT: 'qa', PAY_BASE_URL: 'http://pay.example.com' })
  expect(readConfig).toThrow('must be https')
})

test('allows private providers in development only', () => {
  environment({ PAYMENTS_ALLOW_PRIVATE_PROVIDERS: 'true' })
  expect(readConfig().PAYMENTS_ALLOW_PRIVATE_PROVIDERS).toBe(true)
  for (const ENVIRONMENT of ['qa', 'prod']) {
    environment({ ENVIRONMENT, PAYMENTS_ALLOW_PRIVATE_PROVIDERS: 'true' })
    expect(readConfig).toThrow('PAYMENTS_ALLOW_PRIVATE_PROVIDERS')
    environment({ ENVIRONMENT })
    expect(readConfig().PAYMENTS_ALLOW_PRIVATE_PROVIDERS).toBe(false)
  }
})

test('requires the current key among the keys of the vault', () => {
  environment({ VAULT_KEY_CURRENT: 'k2' })
  expect(readConfig).toThrow('VAULT_KEY_CURRENT')
})

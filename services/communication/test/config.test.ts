import { randomBytes } from 'node:crypto'
import { afterEach, expect, test } from '@jest/globals'
import { readConfig } from '../src/config.ts'

const key = () => randomBytes(32).toString('base64')
const environment = {
  ENVIRONMENT: 'dev',
  PORT: '0',
  DATABASE_URL: 'postgresql://localhost/x',
  AMQP_URL: 'amqp://localhost',
  BUSINESS_UNIT_URL: 'http://127.0.0.1:8086',
  AUDIT_MESSAGE_KEY: JSON.stringify({ communication: key() }),
  EVENT_SIGN_KEYS: JSON.stringify({ webhooks: key() }),
  EVENT_VERIFY_KEYS: JSON.stringify({ 'business-unit': key() }),
  ASSERTION_VERIFY_KEYS: JSON.stringify({ gateway: key() }),
  ASSERTION_SIGN_KEYS: JSON.stringify({ 'business-unit': key() }),
  COMMUNICATION_EMAIL_PROVIDER: 'outbox',
  COMMUNICATION_SMS_PROVIDER: 'outbox',
}
const production = {
  ...environment,
  ENVIRONMENT: 'prod',
  COMMUNICATION_EMAIL_PROVIDER: 'smtp',
  COMMUNICATION_SMS_PROVIDER: 'http',
  COMMUNICATION_FROM_ADDRESS: 'noreply@example.com',
  COMMUNICATION_SMTP_URL: 'smtps://smtp.example.com:465',
  COMMUNICATION_SMTP_USERNAME: 'app',
  COMMUNICATION_SMTP_PASSWORD: 'hidden-word',
  COMMUNICATION_HTTP_URL: 'https://sms.example.com/messages',
  COMMUNICATION_HTTP_SECRET: `whsec_${key()}`,
}

const before = { ...process.env }
afterEach(() => {
  process.env = { ...before }
})

const read = (changes: Readonly<Record<string, string | undefined>>) => {
  const entries = Object.entries({ ...production, ...changes }).filter(([, value]) => value !== undefined)
  process.env = Object.fromEntries(entries)
  return readConfig()
}

test('accepts the provider outbox in development, and smtp and http in production', () => {
  process.env = { ...environment }
  expect(readConfig()).toMatchObject({ COMMUNICATION_EMAIL_PROVIDER: 'outbox' })
  expect(read({})).toMatchObject({ COMMUNICATION_EMAIL_PROVIDER: 'smtp', COMMUNICATION_SMS_PROVIDER: 'http' })
})

test.each([
  ['COMMUNICATION_EMAIL_PROVIDER', { COMMUNICATION_EMAIL_PROVIDER: 'outbox' }, 'may be outbox only where'],
  ['COMMUNICATION_SMS_PROVIDER', { COMMUNICATION_SMS_PROVIDER: 'outbox' }, 'may be outbox only where'],
  ['COMMUNICATION_FROM_ADDRESS', { COMMUNICATION_FROM_ADDRESS: undefined }, 'is not set'],
  ['COMMUNICATION_SMTP_URL', { COMMUNICATION_SMTP_URL: undefined }, 'is not set'],
  ['COMMUNICATION_SMTP_URL', { COMMUNICATION_SMTP_URL: 'smtp://app:hidden-word@example.com' }, 'must have no'],
  ['COMMUNICATION_SMTP_PASSWORD', { COMMUNICATION_SMTP_USERNAME: undefined }, 'must be set together'],
  ['COMMUNICATION_HTTP_URL', { COMMUNICATION_HTTP_URL: 'http://sms.example.com' }, 'must be https'],
  ['COMMUNICATION_HTTP_SECRET', { COMMUNICATION_HTTP_SECRET: 'hidden-word' }, 'must be whsec_'],
])('rejects %s in production, and shows no secret', (name, changes, message) => {
  let shown = ''
  try {
    read(changes)
  } catch (error) {
    shown = String(error)
  }
  expect(shown).toContain(`${name}: ${message}`)
  expect(shown).not.toContain('hidden-word')
})

test('rejects an empty environment and names every missing variable', () => {
  process.env = {}
  for (const name of Object.keys(environment)) expect(readConfig).toThrow(`${name}: is not set`)
})

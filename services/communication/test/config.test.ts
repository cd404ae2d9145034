import { expect, test } from '@jest/globals'
import { configSuite, generateKeys, serviceVariables } from '@payments/testing/suites/config'
import { readConfig } from '../src/config.ts'

const read = configSuite({
  readConfig,
  variables: {
    ...serviceVariables,
    BUSINESS_UNIT_URL: 'http://127.0.0.1:8086',
    EVENT_SIGN_KEYS: generateKeys('webhooks'),
    EVENT_VERIFY_KEYS: generateKeys('business-unit'),
    PAYER_HASH_KEYS: generateKeys('a'),
    PAYER_HASH_KEY_CURRENT: 'a',
    ASSERTION_SIGN_KEYS: generateKeys('business-unit'),
    COMMUNICATION_EMAIL_PROVIDER: 'outbox',
    COMMUNICATION_SMS_PROVIDER: 'outbox',
  },
})
const production = {
  ENVIRONMENT: 'prod',
  COMMUNICATION_EMAIL_PROVIDER: 'smtp',
  COMMUNICATION_SMS_PROVIDER: 'http',
  COMMUNICATION_FROM_ADDRESS: 'noreply@example.com',
  COMMUNICATION_SMTP_URL: 'smtps://smtp.example.com:465',
  COMMUNICATION_SMTP_USERNAME: 'app',
  COMMUNICATION_SMTP_PASSWORD: 'hidden-word',
  COMMUNICATION_HTTP_URL: 'https://sms.example.com/messages',
  COMMUNICATION_HTTP_SECRET: `whsec_${Buffer.alloc(32, 'secret').toString('base64')}`,
}

test('accepts the provider outbox in development, and smtp and http in production', () => {
  expect(read()).toMatchObject({ COMMUNICATION_EMAIL_PROVIDER: 'outbox' })
  expect(read(production)).toMatchObject({ COMMUNICATION_EMAIL_PROVIDER: 'smtp', COMMUNICATION_SMS_PROVIDER: 'http' })
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
    read({ ...production, ...changes })
  } catch (error) {
    shown = String(error)
  }
  expect(shown).toContain(`${name}: ${message}`)
  expect(shown).not.toContain('hidden-word')
})

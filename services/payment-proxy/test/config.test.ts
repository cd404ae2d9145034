import { randomBytes } from 'node:crypto'
import { afterEach, expect, test } from '@jest/globals'
import { egressOf, readConfig } from '../src/config.ts'

const key = () => randomBytes(32).toString('base64')
const good = {
  ENVIRONMENT: 'dev',
  PORT: '0',
  DATABASE_URL: 'postgresql://app@127.0.0.1/payment-proxy',
  AMQP_URL: 'amqp://127.0.0.1',
  AUDIT_MESSAGE_KEY: JSON.stringify({ 'payment-proxy': key() }),
  EVENT_SIGN_KEYS: JSON.stringify({ webhooks: key() }),
  EVENT_VERIFY_KEYS: JSON.stringify({ 'business-unit': key() }),
  ASSERTION_VERIFY_KEYS: JSON.stringify({ gateway: key() }),
  ASSERTION_SIGN_KEYS: JSON.stringify({ 'business-unit': key(), 'invite-to-pay': key() }),
  BUSINESS_UNIT_URL: 'http://127.0.0.1:8086',
  INVITE_TO_PAY_URL: 'http://127.0.0.1:8088',
}

const inherited = process.env
const environment = (given: Record<string, string>) => {
  process.env = { ...good, ...given } as NodeJS.ProcessEnv
}
afterEach(() => {
  process.env = inherited
})

test('allows private payment providers only in development, and not by default', () => {
  environment({ PAYMENTS_ALLOW_PRIVATE_PROVIDERS: 'true' })
  expect(egressOf(readConfig()).allowPrivate).toBe(true)
  for (const ENVIRONMENT of ['qa', 'prod']) {
    environment({ ENVIRONMENT, PAYMENTS_ALLOW_PRIVATE_PROVIDERS: 'true' })
    expect(readConfig).toThrow('PAYMENTS_ALLOW_PRIVATE_PROVIDERS')
    environment({ ENVIRONMENT })
    expect(egressOf(readConfig())).toMatchObject({ allowPrivate: false, ports: [443, 8443] })
  }
})

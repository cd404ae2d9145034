import { expect, test } from '@jest/globals'
import { configSuite, generateKeys, serviceVariables } from '@payments/testing/suites/config'
import { egressOptions, readConfig } from '../src/config.ts'

const read = configSuite({
  readConfig,
  variables: {
    ...serviceVariables,
    EVENT_SIGN_KEYS: generateKeys('webhooks'),
    EVENT_VERIFY_KEYS: generateKeys('business-unit'),
    ASSERTION_SIGN_KEYS: generateKeys('business-unit', 'invite-to-pay'),
    BUSINESS_UNIT_URL: 'http://127.0.0.1:8086',
    INVITE_TO_PAY_URL: 'http://127.0.0.1:8088',
    PAY_BASE_URL: 'https://pay.payments.test',
  },
  developmentSwitches: ['PAYMENTS_ALLOW_PRIVATE_PROVIDERS'],
})

test('takes an http origin of the bank of the sandbox in development only', () => {
  const PAY_BASE_URL = 'http://127.0.0.1:8080'
  expect(read({ PAY_BASE_URL }).PAY_BASE_URL).toBe(PAY_BASE_URL)
  expect(() => read({ PAY_BASE_URL, ENVIRONMENT: 'qa' })).toThrow('PAY_BASE_URL: must be https')
})

test('the retention of customers is 0 or at least 70 days', () => {
  const readDays = (days: string) => read({ PAYMENT_CUSTOMER_RETENTION_DAYS: days }).PAYMENT_CUSTOMER_RETENTION_DAYS
  expect(['0', '70', ''].map(readDays)).toEqual([0, 70, 3_650])
  expect(() => readDays('69')).toThrow('must be 0 or at least 70')
})

test('reaches private payment providers only where they are allowed, and by default two ports', () => {
  expect(egressOptions(read({ PAYMENTS_ALLOW_PRIVATE_PROVIDERS: 'true' })).allowPrivate).toBe(true)
  expect(egressOptions(read({ ENVIRONMENT: 'prod' }))).toMatchObject({ allowPrivate: false, ports: [443, 8443] })
})

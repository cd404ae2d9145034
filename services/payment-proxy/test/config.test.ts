import { expect, test } from '@jest/globals'
import { configSuite, keysOf, serviceVariables } from '@payments/testing/suites/config'
import { egressOf, readConfig } from '../src/config.ts'

const read = configSuite({
  readConfig,
  variables: {
    ...serviceVariables,
    EVENT_SIGN_KEYS: keysOf('webhooks'),
    EVENT_VERIFY_KEYS: keysOf('business-unit'),
    ASSERTION_SIGN_KEYS: keysOf('business-unit', 'invite-to-pay'),
    BUSINESS_UNIT_URL: 'http://127.0.0.1:8086',
    INVITE_TO_PAY_URL: 'http://127.0.0.1:8088',
  },
  developmentSwitches: ['PAYMENTS_ALLOW_PRIVATE_PROVIDERS'],
})

test('reaches private payment providers only where they are allowed, and by default two ports', () => {
  expect(egressOf(read({ PAYMENTS_ALLOW_PRIVATE_PROVIDERS: 'true' })).allowPrivate).toBe(true)
  expect(egressOf(read({ ENVIRONMENT: 'prod' }))).toMatchObject({ allowPrivate: false, ports: [443, 8443] })
})

import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { acceptsTestMode, callsConfig } from '../src/config.ts'

test('a service that calls others has the URL of each, by its name, and the keys of its assertions', () => {
  const schema = z.object(callsConfig('rbac', 'payment-proxy'))
  expect(Object.keys(schema.shape)).toEqual(['RBAC_URL', 'PAYMENT_PROXY_URL', 'ASSERTION_SIGN_KEYS'])
  const { error } = schema.safeParse({ RBAC_URL: 'nowhere', PAYMENT_PROXY_URL: 'http://127.0.0.1:8087' })
  expect(error?.issues.map(({ path }) => path[0])).toEqual(['RBAC_URL', 'ASSERTION_SIGN_KEYS'])
})

test.each([
  ['dev', true],
  ['qa', true],
  ['prod', false],
] as const)('%s accepts payments that move no money: %s', (ENVIRONMENT, isAccepted) => {
  expect(acceptsTestMode({ ENVIRONMENT })).toBe(isAccepted)
})

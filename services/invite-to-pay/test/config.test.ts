import { expect, test } from '@jest/globals'
import { configSuite, generateKeys, serviceVariables, vaultVariables } from '@payments/testing/suites/config'
import { readConfig } from '../src/config.ts'

const read = configSuite({
  readConfig,
  variables: {
    ...serviceVariables,
    ...vaultVariables,
    EVENT_SIGN_KEYS: generateKeys('webhooks'),
    EVENT_VERIFY_KEYS: generateKeys('business-unit'),
    PAYER_HASH_KEYS: generateKeys('a'),
    PAYER_HASH_KEY_CURRENT: 'a',
    PAY_BASE_URL: 'https://pay.example.com',
    RBAC_URL: 'http://127.0.0.1:8085',
    BUSINESS_UNIT_URL: 'http://127.0.0.1:8086',
    PAYMENT_PROXY_URL: 'http://127.0.0.1:8087',
    COMMUNICATION_URL: 'http://127.0.0.1:8088',
    ASSERTION_SIGN_KEYS: generateKeys('payment-proxy'),
  },
})

test('the card page has an https origin of another host than the pay page, or none', () => {
  const inProduction = (CARD_PAGE_ORIGIN: string) => read({ ENVIRONMENT: 'prod', CARD_PAGE_ORIGIN }).CARD_PAGE_ORIGIN
  expect([inProduction('https://cards.example.com/'), inProduction('')]).toEqual([
    'https://cards.example.com',
    undefined,
  ])
  expect(read({ CARD_PAGE_ORIGIN: 'http://localhost:8080' }).CARD_PAGE_ORIGIN).toBe('http://localhost:8080')
  expect(() => inProduction('http://cards.example.com')).toThrow('must be https')
  expect(() => inProduction('https://pay.example.com')).toThrow('another host than PAY_BASE_URL')
  for (const url of ['https://cards.example.com/a', 'https://u:p@cards.example.com', 'ftp://x', '*']) {
    expect(() => inProduction(url)).toThrow('CARD_PAGE_ORIGIN')
  }
})

test('links have an https origin; http is for development', () => {
  const inProduction = (PAY_BASE_URL: string) => read({ ENVIRONMENT: 'prod', PAY_BASE_URL }).PAY_BASE_URL
  expect(inProduction('https://pay.example.com/')).toBe('https://pay.example.com')
  expect(read({ PAY_BASE_URL: 'http://127.0.0.1:8080' }).PAY_BASE_URL).toBe('http://127.0.0.1:8080')
  for (const url of ['http://pay.example.com', 'https://pay.example.com/a', 'https://u:p@pay.example.com', 'ftp://x']) {
    expect(() => inProduction(url)).toThrow('PAY_BASE_URL')
  }
})

import { expect, test } from '@jest/globals'
import { configSuite, generateKeys, serviceVariables, vaultVariables } from '@payments/testing/suites/config'
import { readConfig } from '../src/config.ts'

const read = configSuite({
  readConfig,
  variables: {
    ...serviceVariables,
    ...vaultVariables,
    EVENT_SIGN_KEYS: generateKeys('webhooks'),
    PAY_BASE_URL: 'https://pay.example.com',
  },
  developmentSwitches: ['PAYMENTS_ALLOW_PRIVATE_PROVIDERS'],
})

test('takes the origins of card pages by connector, as origins, and https outside of development', () => {
  expect(read().CARD_PAGE_ORIGINS).toEqual({})
  const origins = {
    stripe: ['https://cards.example.com/'],
    http: ['https://a.example.com:8443', 'https://B.example.com'],
  }
  expect(read({ ENVIRONMENT: 'prod', CARD_PAGE_ORIGINS: JSON.stringify(origins) }).CARD_PAGE_ORIGINS).toEqual({
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
    expect(() => read({ CARD_PAGE_ORIGINS: value })).toThrow('CARD_PAGE_ORIGINS')
  }
  const inQa = { ENVIRONMENT: 'qa' }
  expect(() => read({ ...inQa, CARD_PAGE_ORIGINS: '{"http":["http://a.example.com"]}' })).toThrow('must be https')
  expect(() => read({ ...inQa, PAY_BASE_URL: 'http://pay.example.com' })).toThrow('must be https')
})

import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { configSuite, generateKeys, serviceVariables, vaultVariables } from '@payments/testing/suites/config'
import { readConfig } from '../src/config.ts'

const newTokenKey = () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
}

const read = configSuite({
  readConfig,
  variables: {
    ...serviceVariables,
    ...vaultVariables,
    RBAC_URL: 'http://127.0.0.1:8082',
    API_KEY_URL: 'http://127.0.0.1:8081',
    COMMUNICATION_URL: 'http://127.0.0.1:8083',
    EVENT_SIGN_KEYS: generateKeys('webhooks'),
    ASSERTION_SIGN_KEYS: generateKeys('rbac', 'api-key', 'communication'),
    CONSOLE_ORIGIN: 'https://console.example',
    SESSION_PEPPERS: generateKeys('p1'),
    SESSION_PEPPER_CURRENT: 'p1',
    SESSION_TOKEN_KEYS: JSON.stringify({ t1: newTokenKey() }),
    SESSION_TOKEN_KEY_CURRENT: 't1',
  },
  developmentSwitches: ['SIGN_IN_ALLOW_PRIVATE_PROVIDERS'],
})

const provider = {
  id: 'acme',
  name: 'Acme',
  issuer: 'https://sign-in.example',
  client_id: 'payments',
  client_secret_file: '/run/secrets/acme',
  tenants: '*',
}
const providers = (...list: object[]) => ({ SIGN_IN_PROVIDERS: JSON.stringify(list) })

test('the default of a sign-in provider: the scopes openid, email and profile, and the membership of invited people', () => {
  expect(read(providers(provider)).SIGN_IN_PROVIDERS).toMatchObject([
    { scopes: ['openid', 'email', 'profile'], membership: 'invited', email_verified_claim: 'email_verified' },
  ])
})

test.each([
  ['whose claims decide, without the claims', [{ ...provider, membership: 'claims' }]],
  ['with the id of another', [provider, { ...provider, issuer: 'https://other.example' }]],
  ['with the issuer of another', [provider, { ...provider, id: 'other', issuer: `${provider.issuer}/` }]],
  ['that names neither tenants nor all of them', [{ ...provider, tenants: [] }]],
  ['whose issuer is no URL', [{ ...provider, issuer: 'http://127.0.0.1:undefined' }]],
  ['whose id is no identifier', [{ ...provider, id: 'Acme Inc' }]],
])('rejects a sign-in provider %s', (_, list) => {
  expect(() => read(providers(...list))).toThrow('SIGN_IN_PROVIDERS')
})

test('the console has https, except in development', () => {
  const plain = { CONSOLE_ORIGIN: 'http://127.0.0.1:8080' }
  expect(read(plain).CONSOLE_ORIGIN).toBe('http://127.0.0.1:8080')
  expect(() => read({ ...plain, ENVIRONMENT: 'prod' })).toThrow('CONSOLE_ORIGIN')
})

test.each([
  ['SESSION_IDLE_MINUTES', '61'],
  ['SESSION_MINUTES_MAX', '721'],
])('%s can be lowered only', (name, above) => {
  expect(() => read({ [name]: above })).toThrow(name)
  expect(read({ [name]: '5' })).toMatchObject({ [name]: 5 })
})

test('a session is not idle between two reports of its use', () => {
  expect(() => read({ SESSION_IDLE_MINUTES: '4' })).toThrow('SESSION_IDLE_MINUTES')
})

import { randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { serviceNames } from '@payments/contracts/edges/contracts'
import { urlVariable } from '@payments/contracts/edges/service-urls'
import { configSuite } from '@payments/testing/suites/config'
import { readConfig } from '../src/config.ts'

const createKeys = (bytes: (service: string) => Buffer) =>
  JSON.stringify(Object.fromEntries(serviceNames.map((service) => [service, bytes(service).toString('base64')])))
const whole = {
  ENVIRONMENT: 'dev' as const,
  PORT: '0',
  INTERNAL_PORT: '0',
  ASSERTION_SIGN_KEYS: createKeys(() => randomBytes(32)),
  ...Object.fromEntries(serviceNames.map((service) => [urlVariable(service), 'http://127.0.0.1:1'])),
  AUDIT_DIRECTORY: '/tmp/audit',
  AMQP_URL: 'amqp://127.0.0.1',
  AUDIT_MESSAGE_KEY: JSON.stringify({ gateway: randomBytes(32).toString('base64') }),
}
const issuer = {
  issuer: 'urn:one',
  audience: 'payments',
  algorithms: ['ES256'],
  jwks_url: 'https://id.example.com/jwks',
  tenants: ['0f8fad5b-d9cb-469f-a165-70867728950e'],
  lifetime_seconds_max: 3600,
}
const withIssuer = (changes: object) => ({ ...whole, JWT_ISSUERS: JSON.stringify([{ ...issuer, ...changes }]) })

test.each([[[]], [['gateway', 'gateway-2']]])(
  'the key of audit messages belongs to one producer, not to %j',
  (names) => {
    const keys = Object.fromEntries(names.map((name) => [name, randomBytes(32).toString('base64')]))
    const read = () => readConfig({ ...whole, AUDIT_MESSAGE_KEY: JSON.stringify(keys) })
    expect(read).toThrow('AUDIT_MESSAGE_KEY: must name exactly one producer')
  },
)

configSuite({ readConfig, variables: whole })

test('in dev, trusts no proxy and no issuer by default', () => {
  expect(readConfig(whole)).toMatchObject({ ENVIRONMENT: 'dev', TRUSTED_PROXIES: 0, JWT_ISSUERS: [] })
})

describe('TRUSTED_PROXIES', () => {
  test('is named beside other wrong variables', () => {
    const read = () => readConfig({ ...whole, ENVIRONMENT: 'prod', CONSOLE_ORIGIN: 'console.example.com', PORT: 'x' })
    expect(read).toThrow(/PORT: .*\n.*CONSOLE_ORIGIN: .*\n.*TRUSTED_PROXIES: is not set/)
  })

  test.each(['qa', 'prod'])(
    'has no default in %s: the gateway does not start and names the variable',
    (environment) => {
      const env = { ...whole, ENVIRONMENT: environment }
      expect(() => readConfig(env)).toThrow(/TRUSTED_PROXIES: is not set/)
      expect(() => readConfig({ ...env, TRUSTED_PROXIES: '' })).toThrow(/TRUSTED_PROXIES: is not set/)
      expect(readConfig({ ...env, TRUSTED_PROXIES: '0' }).TRUSTED_PROXIES).toBe(0)
      expect(readConfig({ ...env, TRUSTED_PROXIES: '2' }).TRUSTED_PROXIES).toBe(2)
    },
  )
})

test.each([
  ['short', () => randomBytes(16), 'base64 of 32 bytes'],
  ['zeros', () => Buffer.alloc(32), 'looks like a default'],
  ['a repeated word', () => Buffer.alloc(32, 'changeme'), 'looks like a default'],
])('rejects an assertion key that is %s', (_, bytes, why) => {
  const env = {
    ...whole,
    ASSERTION_SIGN_KEYS: createKeys((service) => (service === 'rbac' ? bytes() : randomBytes(32))),
  }
  expect(() => readConfig(env)).toThrow(why)
})

describe('CARD_PAGE_ORIGIN', () => {
  const read = (CARD_PAGE_ORIGIN: string, given: object = {}) =>
    readConfig({ ...whole, TRUSTED_PROXIES: '0', CARD_PAGE_ORIGIN, ...given }).CARD_PAGE_ORIGIN

  test('is an origin, https except in dev, or not set', () => {
    expect(read('https://Cards.example.com:443/', { ENVIRONMENT: 'prod' })).toBe('https://cards.example.com')
    expect([read(''), read('http://localhost:8080')]).toEqual([undefined, 'http://localhost:8080'])
    expect(() => read('https://a.example.com/pay')).toThrow('CARD_PAGE_ORIGIN')
    expect(() => read('http://cards.example.com', { ENVIRONMENT: 'qa' })).toThrow('must be https')
  })

  test('has another host than the console', () => {
    const CONSOLE_ORIGIN = 'https://console.example.com'
    expect(read('https://cards.example.com', { CONSOLE_ORIGIN })).toBe('https://cards.example.com')
    expect(() => read('https://console.example.com', { CONSOLE_ORIGIN })).toThrow('another host than CONSOLE_ORIGIN')
  })
})

describe('CONSOLE_ORIGIN', () => {
  const read = (origin: string, environment = 'dev') =>
    readConfig({ ...whole, ENVIRONMENT: environment, TRUSTED_PROXIES: '0', CONSOLE_ORIGIN: origin }).CONSOLE_ORIGIN

  test('is an origin as browsers write it, or not set', () => {
    expect(read('https://Console.example.com:443/', 'prod')).toBe('https://console.example.com')
    expect([read(''), read('', 'prod')]).toEqual([undefined, undefined])
    for (const wrong of ['https://a.example.com/console', 'a.example.com', 'https://user@a.example.com']) {
      expect(() => read(wrong)).toThrow('CONSOLE_ORIGIN')
    }
  })

  test('is https except in dev', () => {
    expect(read('http://127.0.0.1:8080')).toBe('http://127.0.0.1:8080')
    for (const environment of ['qa', 'prod']) {
      expect(() => read('http://console.example.com', environment)).toThrow(
        'must be https where ENVIRONMENT is not dev',
      )
    }
  })
})

describe('an issuer of tokens', () => {
  test.each([
    [{}],
    [{ tenants: '*' }],
    [{ lifetime_seconds_max: 86_400 }],
    [{ jwks_url: 'http://127.0.0.1:9000/jwks' }],
    [{ jwks_url: undefined, jwks_file: 'jwks.json' }],
  ])('is taken with %j', (changes) => {
    expect(readConfig(withIssuer(changes)).JWT_ISSUERS).toHaveLength(1)
  })

  test.each<[string, object]>([
    ['a symmetric algorithm', { algorithms: ['HS256'] }],
    ['a symmetric algorithm among others', { algorithms: ['ES256', 'HS512'] }],
    ['no signature', { algorithms: ['none'] }],
    ['no algorithm', { algorithms: [] }],
    ['no list of algorithms', { algorithms: undefined }],
    ['no audience', { audience: undefined }],
    ['no name', { issuer: '' }],
    ['keys by URL and by file', { jwks_file: 'jwks.json' }],
    ['no source of keys', { jwks_url: undefined }],
    ['keys over plain HTTP', { jwks_url: 'http://id.example.com/jwks' }],
    ['keys from a host name that begins with localhost', { jwks_url: 'http://localhost.example.com/jwks' }],
    ['keys from a file by URL', { jwks_url: 'file:///etc/passwd' }],
    ['no list of tenants', { tenants: undefined }],
    ['no tenant', { tenants: [] }],
    ['a tenant that is not an id', { tenants: ['acme'] }],
    ['every tenant in a list', { tenants: ['*'] }],
    ['a single tenant outside a list', { tenants: '0f8fad5b-d9cb-469f-a165-70867728950e' }],
    ['no maximum lifetime', { lifetime_seconds_max: undefined }],
    ['a lifetime of zero', { lifetime_seconds_max: 0 }],
    ['a lifetime of more than a day', { lifetime_seconds_max: 86_401 }],
    ['a lifetime that is not a whole number', { lifetime_seconds_max: 60.5 }],
    ['an unknown field', { algorithm: 'ES256' }],
  ])('with %s is rejected', (_, changes) => {
    expect(() => readConfig(withIssuer(changes))).toThrow('JWT_ISSUERS')
  })

  test('is not the issuer of the JWTs of sessions, which identity signs', () => {
    const reserved = () => readConfig(withIssuer({ issuer: 'urn:payment-service:dev:sessions' }))
    expect(reserved).toThrow('JWT_ISSUERS: must not name the issuer of the JWTs of sessions')
    expect(readConfig(withIssuer({ issuer: 'urn:payment-service:dev' })).JWT_ISSUERS).toHaveLength(1)
  })

  test('is rejected with its missing fields and their expected values', () => {
    const broken = () => readConfig(withIssuer({ tenants: undefined, lifetime_seconds_max: undefined }))
    expect(broken).toThrow('tenants must be a list of tenant ids, or "*" for every tenant')
    expect(broken).toThrow('lifetime_seconds_max must be a whole number of seconds from 1 to 86400')
  })
})

import { createPrivateKey } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { edgeKey, loadSecrets, rolePassword } from '@payments/devkit/machine/secrets'
import {
  type LocalStackOptions,
  localPlans,
  payctlEnvironment,
  processPlans,
} from '@payments/devkit/platform/process-plan'
import { portsFrom } from '@payments/devkit/platform/process-ports'
import { type Service, services } from '@payments/devkit/servers/databases'

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'plan-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

function options(overrides: LocalStackOptions['overrides'] = {}): LocalStackOptions {
  const databaseUrls = Object.fromEntries(services.map((service) => [service, `url of ${service}`])) as Record<
    Service,
    string
  >
  const secrets = loadSecrets(directory)
  return {
    directory,
    secrets,
    ports: portsFrom(overrides),
    databaseUrls,
    amqpUrls: { gateway: 'q' },
    messagingPrefix: 'x',
    overrides,
  }
}

function readEnvironment(name: string, overrides: LocalStackOptions['overrides'] = {}) {
  const found = processPlans(options(overrides)).find((plan) => plan.name === name)
  return { ...found?.env }
}

it('gives both ends of every edge the same key, and every edge another', () => {
  const callers = {
    gateway: readEnvironment('gateway'),
    'api-key': readEnvironment('api-key'),
    'payment-proxy': readEnvironment('payment-proxy'),
    webhooks: readEnvironment('webhooks'),
    communication: readEnvironment('communication'),
    'invite-to-pay': readEnvironment('invite-to-pay'),
    identity: readEnvironment('identity'),
    rbac: readEnvironment('rbac'),
    payctl: payctlEnvironment(options()),
  }
  const keys: string[] = []
  for (const [caller, env] of Object.entries(callers)) {
    const sign = JSON.parse(String(env['ASSERTION_SIGN_KEYS'])) as Record<string, string>
    for (const [audience, key] of Object.entries(sign)) {
      const verify = JSON.parse(String(readEnvironment(audience)['ASSERTION_VERIFY_KEYS'])) as Record<string, string>
      expect(verify[caller]).toBe(key)
      expect(Buffer.from(key, 'base64')).toHaveLength(32)
      keys.push(key)
    }
  }
  expect(new Set(keys).size).toBe(keys.length)
})

it('lets the caller’s variables win', () => {
  const overrides = { WEBHOOKS_RETRY_SCHEDULE: '0s,200ms', LOG_LEVEL: 'debug', FAILED_AUTHENTICATIONS_PER_MINUTE: '7' }
  expect(readEnvironment('webhooks-dispatcher', overrides)).toMatchObject(overrides)
  expect(readEnvironment('gateway', overrides)).toMatchObject(overrides)
})

it('keeps the gateway’s port and the servers’ addresses from reaching the other processes', () => {
  const overrides = { PORT: '9999', INTERNAL_PORT: '9998', DATABASE_URL: 'admin', AMQP_URL: 'other', RBAC_PORT: '9997' }
  expect(readEnvironment('gateway', overrides)).toMatchObject({ PORT: '9999', INTERNAL_PORT: '9998' })
  expect(readEnvironment('gateway', overrides)['DATABASE_URL']).toBeUndefined()
  expect(readEnvironment('rbac', overrides)).toMatchObject({ PORT: '9997', DATABASE_URL: 'url of rbac' })
  expect(readEnvironment('rbac', overrides)['INTERNAL_PORT']).toBeUndefined()
})

it('gives each service its own database', () => {
  const urls = services.map((service) => readEnvironment(service)['DATABASE_URL'])
  expect(urls).toEqual(services.map((service) => `url of ${service}`))
  expect(readEnvironment('webhooks-dispatcher')['DATABASE_URL']).toBe('url of webhooks')
})

it('creates secrets and the key of the issuer once, readable by their owner only', () => {
  const first = options().secrets
  readEnvironment('gateway')
  const pem = readFileSync(join(directory, 'issuer.pem'), 'utf8')
  readEnvironment('gateway')
  expect(loadSecrets(directory)).toEqual(first)
  expect(readFileSync(join(directory, 'issuer.pem'), 'utf8')).toBe(pem)
  for (const file of ['secrets.json', 'issuer.pem']) expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600)
})

it('rejects a profile that lacks a secret', () => {
  const { vaultKey: _lost, ...damaged } = loadSecrets(directory)
  writeFileSync(join(directory, 'secrets.json'), JSON.stringify(damaged))
  expect(() => loadSecrets(directory)).toThrow('lacks vaultKey')
})

it('makes identity a client of the development sign-in provider', () => {
  const overrides = { PORT: '9999', DEV_SIGN_IN_PORT: '9996' }
  const { env = {}, readyUrl } = localPlans(options(overrides)).find(({ name }) => name === 'dev-sign-in') ?? {}
  const identity = readEnvironment('identity', overrides)
  const origin = 'http://127.0.0.1:9999'
  expect([readyUrl, env['PORT'], env['CONSOLE_ORIGIN']]).toEqual(['http://127.0.0.1:9996/readyz', '9996', origin])
  expect([identity['CONSOLE_ORIGIN'], readEnvironment('gateway', overrides)['CONSOLE_ORIGIN']]).toEqual([
    origin,
    origin,
  ])
  const [provider] = JSON.parse(String(identity['SIGN_IN_PROVIDERS']))
  expect(provider).toMatchObject({ issuer: env['ISSUER'], client_secret_file: env['CLIENT_SECRET_FILE'] })
  expect(statSync(String(env['CLIENT_SECRET_FILE'])).mode & 0o777).toBe(0o600)
  const key = { key: Buffer.from(options().secrets.sessionTokenKey, 'base64'), format: 'der', type: 'pkcs8' } as const
  expect(createPrivateKey(key).asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' })
  expect(processPlans(options()).map(({ name }) => name)).not.toContain('dev-sign-in')
})

it('derives other keys and passwords from other masters', () => {
  const [one, other] = [
    options().secrets,
    { ...options().secrets, assertionMaster: Buffer.alloc(32).toString('base64') },
  ]
  expect(edgeKey(one, 'gateway', 'rbac')).not.toBe(edgeKey(other, 'gateway', 'rbac'))
  const of = (password: string) => rolePassword(`postgresql://admin:${password}@h/d`, 'payments_rbac_app')
  expect(of('a')).not.toBe(of('b'))
})

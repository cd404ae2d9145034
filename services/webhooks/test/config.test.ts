import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { readApiConfig, readDispatcherConfig } from '../src/config.ts'

const key = () => randomBytes(32).toString('base64')
const good = {
  ENVIRONMENT: 'dev',
  PORT: '0',
  INTERNAL_PORT: '0',
  DATABASE_URL: 'postgresql://app@127.0.0.1/webhooks',
  AMQP_URL: 'amqp://127.0.0.1',
  VAULT_KEYS: JSON.stringify({ k1: key() }),
  VAULT_KEY_CURRENT: 'k1',
  AUDIT_MESSAGE_KEY: JSON.stringify({ webhooks: key() }),
  EVENT_SIGN_KEYS: JSON.stringify({ webhooks: key() }),
  EVENT_VERIFY_KEYS: JSON.stringify({ rbac: key() }),
  BUSINESS_UNIT_URL: 'http://127.0.0.1:8085',
  ASSERTION_SIGN_KEYS: JSON.stringify({ 'business-unit': key() }),
  ASSERTION_VERIFY_KEYS: JSON.stringify({ gateway: key() }),
}

describe('configuration', () => {
  const inherited = process.env
  const environment = (given: Record<string, string>) => {
    process.env = { ...good, ...given } as NodeJS.ProcessEnv
  }
  beforeEach(() => environment({}))
  afterEach(() => {
    process.env = inherited
  })

  test('rejects the configuration and names every invalid variable', () => {
    environment({ ENVIRONMENT: 'production', DATABASE_URL: '', VAULT_KEYS: '{}', WEBHOOKS_RETRY_SCHEDULE: '5' })
    for (const name of ['ENVIRONMENT', 'DATABASE_URL', 'VAULT_KEYS', 'WEBHOOKS_RETRY_SCHEDULE']) {
      expect(readDispatcherConfig).toThrow(name)
    }
  })

  test('accepts an egress proxy only as an http URL with valid credentials', () => {
    environment({ WEBHOOKS_EGRESS_PROXY: 'http://user:p%40ss@proxy.example:3128' })
    expect(readDispatcherConfig().WEBHOOKS_EGRESS_PROXY?.host).toBe('proxy.example:3128')
    for (const proxy of ['socks5://proxy.example', 'proxy.example:3128', 'http://user:100%@proxy.example']) {
      environment({ WEBHOOKS_EGRESS_PROXY: proxy })
      expect(readDispatcherConfig).toThrow('WEBHOOKS_EGRESS_PROXY')
    }
  })

  test('allows private destinations in development only', () => {
    environment({ WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'true' })
    expect(readApiConfig().WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS).toBe(true)
    for (const ENVIRONMENT of ['qa', 'prod']) {
      environment({ ENVIRONMENT, WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'true' })
      expect(readApiConfig).toThrow('WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS')
      expect(readDispatcherConfig).toThrow('WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS')
      environment({ ENVIRONMENT })
      expect(readApiConfig().WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS).toBe(false)
    }
  })

  test('parses lists of destination ports and DNS servers, and rejects invalid entries', () => {
    expect(readApiConfig()).toMatchObject({ WEBHOOKS_DESTINATION_PORTS: [443, 8443], WEBHOOKS_DNS_SERVERS: [] })
    environment({ WEBHOOKS_DESTINATION_PORTS: '443,9443', WEBHOOKS_DNS_SERVERS: '192.0.2.53,[2001:db8::53]:5353' })
    expect(readDispatcherConfig()).toMatchObject({
      WEBHOOKS_DESTINATION_PORTS: [443, 9443],
      WEBHOOKS_DNS_SERVERS: ['192.0.2.53', '[2001:db8::53]:5353'],
    })
    for (const ports of ['0', '65536', '443,', 'https', '-1']) {
      environment({ WEBHOOKS_DESTINATION_PORTS: ports })
      expect(readApiConfig).toThrow('WEBHOOKS_DESTINATION_PORTS')
    }
    for (const servers of ['dns.example.com', '1.2.3', Array(11).fill('192.0.2.53').join(',')]) {
      environment({ WEBHOOKS_DNS_SERVERS: servers })
      expect(readApiConfig).toThrow('WEBHOOKS_DNS_SERVERS')
    }
  })

  test('has a default retry schedule of ten attempts over two days', () => {
    expect(readDispatcherConfig().WEBHOOKS_RETRY_SCHEDULE).toEqual([
      0, 5_000, 30_000, 120_000, 600_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000,
    ])
    environment({ WEBHOOKS_RETRY_SCHEDULE: '0s,200ms' })
    expect(readDispatcherConfig().WEBHOOKS_RETRY_SCHEDULE).toEqual([0, 200])
    environment({ WEBHOOKS_RETRY_SCHEDULE: '5s,30s' })
    expect(readDispatcherConfig).toThrow(/WEBHOOKS_RETRY_SCHEDULE.*The first one is 0s, because fan-out/)
  })
})

import { describe, expect, test } from '@jest/globals'
import { copyDaysMax } from '@payments/contracts/nouns/payer-erasure'
import { configSuite, generateKeys, serviceVariables, vaultVariables } from '@payments/testing/suites/config'
import { readApiConfig, readDispatcherConfig } from '../src/config.ts'

const { ENVIRONMENT, DATABASE_URL, AMQP_URL } = serviceVariables
const shared = { ...vaultVariables, ENVIRONMENT, DATABASE_URL, AMQP_URL, EVENT_VERIFY_KEYS: generateKeys('rbac') }
const developmentSwitches = ['WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS'] as const

describe('the configuration of the API', () => {
  const read = configSuite({
    readConfig: readApiConfig,
    variables: {
      ...serviceVariables,
      ...shared,
      EVENT_SIGN_KEYS: generateKeys('webhooks'),
      BUSINESS_UNIT_URL: 'http://127.0.0.1:8085',
      ASSERTION_SIGN_KEYS: generateKeys('business-unit'),
    },
    developmentSwitches,
  })

  test('parses lists of destination ports and DNS servers, and rejects invalid entries', () => {
    expect(read()).toMatchObject({ WEBHOOKS_DESTINATION_PORTS: [443, 8443], WEBHOOKS_DNS_SERVERS: [] })
    const given = { WEBHOOKS_DESTINATION_PORTS: '443,9443', WEBHOOKS_DNS_SERVERS: '192.0.2.53,[2001:db8::53]:5353' }
    expect(read(given)).toMatchObject({
      WEBHOOKS_DESTINATION_PORTS: [443, 9443],
      WEBHOOKS_DNS_SERVERS: ['192.0.2.53', '[2001:db8::53]:5353'],
    })
    for (const ports of ['0', '65536', '443,', 'https', '-1']) {
      expect(() => read({ WEBHOOKS_DESTINATION_PORTS: ports })).toThrow('WEBHOOKS_DESTINATION_PORTS')
    }
    for (const servers of ['dns.example.com', '1.2.3', Array(11).fill('192.0.2.53').join(',')]) {
      expect(() => read({ WEBHOOKS_DNS_SERVERS: servers })).toThrow('WEBHOOKS_DNS_SERVERS')
    }
  })
})

describe('the configuration of the dispatcher', () => {
  const read = configSuite({
    readConfig: readDispatcherConfig,
    variables: { ...shared, INTERNAL_PORT: '0' },
    developmentSwitches,
  })

  test('accepts an egress proxy only as an http URL with valid credentials', () => {
    const host = read({ WEBHOOKS_EGRESS_PROXY: 'http://user:p%40ss@proxy.example:3128' }).WEBHOOKS_EGRESS_PROXY?.host
    expect(host).toBe('proxy.example:3128')
    for (const proxy of ['socks5://proxy.example', 'proxy.example:3128', 'http://user:100%@proxy.example']) {
      expect(() => read({ WEBHOOKS_EGRESS_PROXY: proxy })).toThrow('WEBHOOKS_EGRESS_PROXY')
    }
  })

  test('retains events no longer than copies of an erased payer may stay', () => {
    expect(read({ WEBHOOKS_RETENTION_DAYS: '30' }).WEBHOOKS_RETENTION_DAYS).toBe(copyDaysMax - 1)
    expect(() => read({ WEBHOOKS_RETENTION_DAYS: '31' })).toThrow('WEBHOOKS_RETENTION_DAYS')
  })

  test('has a default retry schedule of ten attempts over two days', () => {
    expect(read().WEBHOOKS_RETRY_SCHEDULE).toEqual([
      0, 5_000, 30_000, 120_000, 600_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000,
    ])
    expect(read({ WEBHOOKS_RETRY_SCHEDULE: '0s,200ms' }).WEBHOOKS_RETRY_SCHEDULE).toEqual([0, 200])
    for (const schedule of ['5s,30s', '5']) {
      expect(() => read({ WEBHOOKS_RETRY_SCHEDULE: schedule })).toThrow(
        /WEBHOOKS_RETRY_SCHEDULE.*The first one is 0s, because fan-out/,
      )
    }
  })
})

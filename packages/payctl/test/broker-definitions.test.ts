import { expect, test } from '@jest/globals'
import { contracts } from '@payments/contracts/edges/contracts'
import { eventEdges } from '@payments/contracts/edges/events'
import { completeSecrets } from '../src/installation/generate.ts'
import { rabbitmqDefinitions } from '../src/installation/servers.ts'
import { payctl } from '../src/payctl.ts'

/** The users and keys that `payctl secrets generate` gives the processes for RabbitMQ and for events. */
const secrets = completeSecrets(new Map(), {
  environment: 'qa',
  postgresUrl: 'postgresql://db.example',
  rabbitmqUrl: 'amqps://mq.example/p',
  jwtIssuers: '[]',
})
const readKeys = (secret: string, variable: string): Record<string, string> =>
  JSON.parse(secrets.get(secret)?.get(variable) ?? '{}')

interface Definitions {
  users: { name: string }[]
  permissions: { user: string; vhost: string; configure: string; write: string; read: string }[]
  topic_permissions: { exchange: string }[]
  exchanges: { name: string }[]
}
const definitions = (prefix: string): Definitions => JSON.parse(rabbitmqDefinitions(secrets, prefix))

test('gives producer and consumer of events the same key, a different one per pair', () => {
  const keys = eventEdges.map(({ issuer, audience }) => {
    const key = readKeys(issuer, 'EVENT_SIGN_KEYS')[audience]
    expect([issuer, audience, readKeys(audience, 'EVENT_VERIFY_KEYS')[issuer]]).toEqual([issuer, audience, key])
    return Buffer.from(key ?? '', 'base64')
  })
  expect(keys.every(({ length }) => length === 32)).toBe(true)
  expect(new Set(keys.map(String)).size).toBe(eventEdges.length)
  const pairs = eventEdges.map(({ issuer, audience }) => `${issuer} ${audience}`)
  const some = ['payment-proxy invite-to-pay', 'api-key webhooks', 'webhooks webhooks']
  expect(pairs).toEqual(expect.arrayContaining(some))
  expect(pairs).not.toContain('payment-proxy business-unit')
})

test('gives each user of RabbitMQ access to its own names only, with their prefix', () => {
  const { users, permissions, topic_permissions: topics, exchanges } = definitions('qa')
  expect([users.length, permissions.length]).toEqual([contracts.length + 1, contracts.length + 1])
  const gateway = permissions.find(({ user }) => user === 'payments-gateway')
  const write = '^qa\\.(audit-records)$'
  expect(gateway).toEqual({ user: 'payments-gateway', vhost: 'p', configure: '^$', write, read: '^$' })
  const foreign = ['amq.default', 'domain-events', 'prod.audit.records', 'qa.domain-events.copy']
  for (const { user, ...rights } of permissions)
    for (const pattern of [rights.configure, rights.write, rights.read].map((one) => new RegExp(one)))
      expect([user, foreign.filter((name) => pattern.test(name))]).toEqual([user, []])
  expect(new Set(topics.map(({ exchange }) => exchange))).toEqual(new Set(['qa.domain-events']))
  expect(exchanges.map(({ name }) => name)).toEqual(['qa.domain-events', 'qa.audit-records'])
  expect(definitions('').exchanges.map(({ name }) => name)).toEqual(['domain-events', 'audit-records'])
})

test('refuses a prefix that is no part of a name', async () => {
  const addresses = ['--postgres', 'postgresql://db.example', '--rabbitmq', 'amqps://mq.example/p']
  const args = ['secrets', 'generate', '--environment', 'qa', ...addresses, '--messaging-prefix', 'a.*']
  expect(await payctl(args)).toBe(2)
})

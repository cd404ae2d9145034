/**
 * The users of the processes at a broker that this package starts. The broker loads them at each start, so they survive
 * the loss of its data.
 */
import { type BrokerLogin, brokerDefinitions, brokerUsers } from '@payments/contracts/edges/broker-access'
import type { Environment } from '../machine/profile.ts'
import { rolePassword } from '../machine/secrets.ts'

/** The prefix of names of `npm start`. */
export const developmentPrefix = 'payments-dev'

/**
 * Each test has a random prefix (packages/testing/src/broker/broker.ts). The broker of `npm start` has none of these.
 */
const anyPrefix = `(${developmentPrefix}|t[0-9a-f]{10}(-next)?)\\.`

const nameUser = (name: string) => `payments-${name}`

/** The URL of each process. A broker that the environment names has only the user of that URL. */
export function buildAmqpUrls(adminUrl: string, env: Environment = process.env): Readonly<Record<string, string>> {
  const buildUrl = (name: string) => {
    const url = new URL(adminUrl)
    url.username = nameUser(name)
    url.password = rolePassword(adminUrl, nameUser(name))
    return url.href
  }
  return Object.fromEntries(brokerUsers.map((name) => [name, env['AMQP_URL'] ? adminUrl : buildUrl(name)]))
}

/** Definitions as RabbitMQ loads them. They replace its default user, so the administrator is among them. */
export function developmentDefinitions(adminUrl: string): string {
  const { username, password } = new URL(adminUrl)
  const login = (name: string, user: string, secret: string): BrokerLogin => ({
    name,
    user,
    password: decodeURIComponent(secret),
    vhost: '/',
  })
  const processes = brokerUsers.map((name) => login(name, nameUser(name), rolePassword(adminUrl, nameUser(name))))
  const definitions = brokerDefinitions(processes, developmentPrefix, anyPrefix)
  const admin = brokerDefinitions([login('administrator', username, password)], '')
  const all = { user: username, vhost: '/', configure: '.*', write: '.*', read: '.*' }
  return JSON.stringify({
    ...definitions,
    users: [...definitions.users, ...admin.users.map((user) => ({ ...user, tags: ['administrator'] }))],
    permissions: [...definitions.permissions, all],
  })
}

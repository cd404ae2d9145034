import { createHash, createHmac } from 'node:crypto'
import { auditQueue } from './audit-line.ts'
import { domainEventsName, markerName, prefixName } from './broker-names.ts'
import { gatewayName } from './calls.ts'
import { eventPatterns } from './event-patterns.ts'
import { listRoutingKeys } from './event-routing.ts'
import { eventTypesByService } from './events.ts'

/**
 * The permissions of a process at RabbitMQ. A service owns the queues and exchanges that begin with its name, and its
 * marker queue. It publishes the event types of its contract to `domain-events`, and binds its queues there with the
 * patterns that it consumes. No process may publish to the default exchange, which reaches every queue.
 */
export interface BrokerAccess {
  /** Regular expressions of names, as RabbitMQ matches them. */
  readonly configure: string
  readonly write: string
  readonly read: string
  /** Of routing keys at the exchange of events; null: no access to it. */
  readonly events: { readonly write: string; readonly read: string } | null
}

/** The service that declares the exchange of events: it consumes all of them. */
const ownerOfEvents = 'webhooks'
const ownerOfAudit = 'audit'

/** The processes with their own user. The dispatcher has the user of webhooks. */
export const brokerUsers: readonly string[] = [gatewayName, ...eventTypesByService.keys()]

/** `start`: a regular expression of what precedes the names. */
export function buildBrokerAccess(name: string, start: string): BrokerAccess {
  const emitted = [...(eventTypesByService.get(name) ?? [])]
  const consumed = Object.entries(eventPatterns).flatMap(([consumer, patterns]) => (consumer === name ? patterns : []))
  const own = name === gatewayName ? [] : [`${literal(name)}\\..+`, literal(markerName(name))]
  const declared = [
    ...(name === ownerOfEvents ? [domainEventsName] : []),
    ...(name === ownerOfAudit ? [auditQueue.exchange] : []),
  ]
  const published = [auditQueue.exchange, ...(emitted.length > 0 ? [domainEventsName] : [])]
  const bound = [...(consumed.length > 0 ? [domainEventsName] : []), ...(name === ownerOfAudit ? declared : [])]
  return {
    configure: matchNames([...own, ...declared.map(literal)], start),
    write: matchNames([...own, ...published.map(literal)], start),
    read: matchNames([...own, ...bound.map(literal)], start),
    events:
      emitted.length + consumed.length > 0
        ? { write: matchNames(emitted.flatMap(listRoutingKeys).map(literal)), read: matchNames(consumed.map(bindable)) }
        : null,
  }
}

/** A consumer of all events may bind any pattern. */
const bindable = (pattern: string) => (pattern === '#' ? '.*' : literal(pattern))
const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
/** Without a name, the expression matches no name. */
const matchNames = (names: readonly string[], start = '') =>
  names.length === 0 ? '^$' : `^${start}(${names.join('|')})$`

export interface BrokerLogin {
  /** The process: one of `brokerUsers`. */
  readonly name: string
  readonly user: string
  readonly password: string
  readonly vhost: string
}

/**
 * The users and the shared exchanges of an installation, as `rabbitmqctl import_definitions` reads them. An import sets
 * the permissions of a user that exists again. `prefix` is MESSAGING_PREFIX; `start` widens the permissions to several
 * prefixes, for a broker of tests.
 */
export function brokerDefinitions(
  logins: readonly BrokerLogin[],
  prefix: string,
  start = literal(prefixName(prefix, '')),
) {
  const access = logins.map((login) => ({ ...login, ...buildBrokerAccess(login.name, start) }))
  const vhosts = [...new Set(logins.map(({ vhost }) => vhost))]
  const shared = [
    { name: prefixName(prefix, domainEventsName), type: 'topic' },
    { name: prefixName(prefix, auditQueue.exchange), type: 'direct' },
  ]
  return {
    vhosts: vhosts.map((name) => ({ name })),
    users: logins.map(({ user, password }) => ({
      name: user,
      password_hash: passwordHash(user, password),
      hashing_algorithm: 'rabbit_password_hashing_sha256',
      tags: [] as string[],
    })),
    permissions: access.map(({ user, vhost, configure, write, read }) => ({ user, vhost, configure, write, read })),
    topic_permissions: access.flatMap(({ user, vhost, events }) =>
      events === null ? [] : [{ user, vhost, exchange: prefixName(prefix, domainEventsName), ...events }],
    ),
    exchanges: vhosts.flatMap((vhost) =>
      shared.map((one) => ({ ...one, vhost, durable: true, auto_delete: false, internal: false, arguments: {} })),
    ),
  }
}

/**
 * RabbitMQ: base64 of salt and SHA-256 of salt and password. The salt is derived, so the same passwords give the same
 * definitions; passwords of 32 random bytes need no salt.
 */
function passwordHash(user: string, password: string): string {
  const salt = createHmac('sha256', password).update(`salt of ${user}`).digest().subarray(0, 4)
  return Buffer.concat([salt, createHash('sha256').update(salt).update(password).digest()]).toString('base64')
}

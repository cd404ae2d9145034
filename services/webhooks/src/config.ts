import { Resolver } from 'node:dns'
import { assertionKeys } from '@payments/chassis/assertion'
import { auditProducerConfig } from '@payments/chassis/audit-producer'
import { json, listenConfig, loadConfig, port, processConfig } from '@payments/chassis/config'
import { vaultConfig, vaultConfigIsWhole } from '@payments/vault/config'
import { z } from 'zod'
import type { BreakerRules } from './domain/breaker.ts'
import { destinationPorts } from './domain/destination.ts'
import { parseSchedule } from './domain/schedule.ts'
import { lookupThrough, type Resolving } from './egress/resolve.ts'

const serversMax = 10

const portList = z
  .string()
  .default(destinationPorts.join(','))
  .transform((written) => written.split(',').map((part) => (/^\d{1,5}$/.test(part) ? Number(part) : 0)))
  .refine((ports) => ports.every((port) => port >= 1 && port <= 65_535), 'must be ports, e.g. 443,8443')

const serverList = z
  .string()
  .default('')
  .transform((written) => (written === '' ? [] : written.split(',')))
  .refine(
    areServers,
    `must be at most ${serversMax} addresses, with a port or without, e.g. 192.0.2.53,[2001:db8::53]:5353`,
  )

function areServers(servers: string[]): boolean {
  try {
    new Resolver().setServers(servers)
  } catch {
    // The resolver rejects invalid addresses; a check here would repeat its rules.
    return false
  }
  return servers.length <= serversMax
}

function hasReadableCredentials({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password)
  } catch {
    // A % that begins no encoded character.
    return false
  }
  return true
}

const shared = {
  ...processConfig,
  HOST: listenConfig.HOST,
  DATABASE_URL: z.string().describe('URL of PostgreSQL, with the role that owns no tables'),
  AMQP_URL: z.string().describe('URL of RabbitMQ'),
  MESSAGING_PREFIX: z.string().default('').describe('Prefix of the names of exchanges and queues'),
  ...vaultConfig,
  WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .describe('Allow destinations with http and private addresses; only where ENVIRONMENT is dev'),
  WEBHOOKS_DESTINATION_PORTS: portList.describe('Ports that destinations may use'),
  WEBHOOKS_DNS_SERVERS: serverList.describe(
    'DNS servers that resolve destinations, e.g. 192.0.2.53,[2001:db8::53]:5353; empty: the resolver of the system',
  ),
}

const privateOnlyInDevelopment = [
  (config: { ENVIRONMENT: string; WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: boolean }) =>
    config.ENVIRONMENT === 'dev' || !config.WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS,
  { path: ['WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS'], message: 'may be true only where ENVIRONMENT is dev' },
] satisfies [(config: never) => boolean, { path: PropertyKey[]; message: string }]

export const environment = z
  .object({
    ...shared,
    ...auditProducerConfig,
    PORT: listenConfig.PORT,
    ASSERTION_VERIFY_KEYS: json(assertionKeys).describe(
      'JSON object: caller → base64 key that verifies its internal assertions',
    ),
  })
  .refine(...vaultConfigIsWhole)
  .refine(...privateOnlyInDevelopment)

export const dispatcherEnvironment = z
  .object({
    ...shared,
    INTERNAL_PORT: port.describe('Port of health checks and metrics'),
    WEBHOOKS_RETRY_SCHEDULE: z
      .string()
      .default('0s,5s,30s,2m,10m,1h,3h,6h,12h,24h')
      .transform((written, context) => {
        const schedule = parseSchedule(written)
        if (schedule !== undefined) return schedule
        context.addIssue({ code: 'custom', message: 'must be 1 to 50 delays of at most 30d, e.g. 0s,5s,30s,2m' })
        return z.NEVER
      })
      .describe('Delays before the attempts of a delivery, the first included; their number is the number of attempts'),
    WEBHOOKS_EGRESS_PROXY: z
      .url({ protocol: /^https?$/ })
      .transform((written) => new URL(written))
      .refine(hasReadableCredentials, 'must have percent-encoded credentials')
      .optional()
      .describe('HTTP proxy for requests to receivers and token endpoints, e.g. http://user:password@proxy:3128'),
    WEBHOOKS_RETENTION_DAYS: z.coerce
      .number()
      .int()
      .min(1)
      .max(3_650)
      .default(30)
      .describe('Retention of events, deliveries and attempts'),
    WEBHOOKS_BREAKER_FAILED_PERCENT: z.coerce
      .number()
      .int()
      .min(1)
      .max(100)
      .default(50)
      .describe('Share of failed attempts in the window that opens the circuit breaker of a destination'),
    WEBHOOKS_BREAKER_ATTEMPTS_MIN: z.coerce
      .number()
      .int()
      .min(1)
      .max(100_000)
      .default(10)
      .describe('Minimum attempts in the window before the circuit breaker may open'),
    WEBHOOKS_BREAKER_WINDOW_SECONDS: z.coerce
      .number()
      .int()
      .min(1)
      .max(3_600)
      .default(60)
      .describe('Window in which the circuit breaker counts attempts'),
    WEBHOOKS_BREAKER_CONNECT_ERRORS: z.coerce
      .number()
      .int()
      .min(1)
      .max(100_000)
      .default(5)
      .describe('Consecutive attempts without a connection that open the circuit breaker'),
    WEBHOOKS_BREAKER_PROBE_AFTER_MS: z.coerce
      .number()
      .int()
      .min(50)
      .max(3_600_000)
      .default(30_000)
      .describe('Time until one delivery probes a destination with an open circuit breaker'),
  })
  .refine(...vaultConfigIsWhole)
  .refine(...privateOnlyInDevelopment)

export type ApiConfig = z.output<typeof environment>
export type DispatcherConfig = z.output<typeof dispatcherEnvironment>

export function breakerRulesOf(config: DispatcherConfig): BreakerRules {
  return {
    failedPercentMin: config.WEBHOOKS_BREAKER_FAILED_PERCENT,
    attemptsMin: config.WEBHOOKS_BREAKER_ATTEMPTS_MIN,
    windowMs: config.WEBHOOKS_BREAKER_WINDOW_SECONDS * 1_000,
    connectErrorsMax: config.WEBHOOKS_BREAKER_CONNECT_ERRORS,
    probeAfterMs: config.WEBHOOKS_BREAKER_PROBE_AFTER_MS,
  }
}

export const readApiConfig = (): ApiConfig => loadConfig(environment, process.env)
export const readDispatcherConfig = (): DispatcherConfig => loadConfig(dispatcherEnvironment, process.env)

/** The rules for tenants' URLs in both processes. */
export const egressOf = (
  config: Pick<
    ApiConfig,
    'WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS' | 'WEBHOOKS_DESTINATION_PORTS' | 'WEBHOOKS_DNS_SERVERS'
  >,
): Resolving => ({
  allowPrivate: config.WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS,
  ports: config.WEBHOOKS_DESTINATION_PORTS,
  lookup: lookupThrough(config.WEBHOOKS_DNS_SERVERS),
})

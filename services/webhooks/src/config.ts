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
    // Nobody else knows so exactly what it takes.
    return false
  }
  return servers.length <= serversMax
}

function hasReadableCredentials({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password)
  } catch {
    // A lone % is taken for the beginning of an encoded character.
    return false
  }
  return true
}

const shared = {
  ...processConfig,
  HOST: listenConfig.HOST,
  DATABASE_URL: z.string().describe('PostgreSQL, as the role that owns no table'),
  AMQP_URL: z.string().describe('RabbitMQ'),
  MESSAGING_PREFIX: z.string().default('').describe('before the names of exchanges and queues'),
  ...vaultConfig,
  WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .describe('accept http and private addresses as destinations; development only'),
  WEBHOOKS_DESTINATION_PORTS: portList.describe('the ports a destination may be on'),
  WEBHOOKS_DNS_SERVERS: serverList.describe(
    'the servers that are asked for the addresses of destinations; empty: those this machine asks',
  ),
}

const onlyInDevelopment = [
  (config: { ENVIRONMENT: string; WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: boolean }) =>
    config.ENVIRONMENT === 'dev' || !config.WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS,
  { path: ['WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS'], message: 'may be true only where ENVIRONMENT is dev' },
] satisfies [(config: never) => boolean, { path: PropertyKey[]; message: string }]

export const environment = z
  .object({
    ...shared,
    ...auditProducerConfig,
    PORT: listenConfig.PORT,
    ASSERTION_VERIFY_KEYS: json(assertionKeys).describe('JSON: caller → base64 key of its assertions to us'),
  })
  .refine(...vaultConfigIsWhole)
  .refine(...onlyInDevelopment)

export const dispatcherEnvironment = z
  .object({
    ...shared,
    INTERNAL_PORT: port.describe('port of health and metrics'),
    WEBHOOKS_RETRY_SCHEDULE: z
      .string()
      .default('0s,5s,30s,2m,10m,1h,3h,6h,12h,24h')
      .transform((written, context) => {
        const schedule = parseSchedule(written)
        if (schedule !== undefined) return schedule
        context.addIssue({ code: 'custom', message: 'must be delays like 0s,5s,30s,2m: 1 to 50 of them, 30d at most' })
        return z.NEVER
      })
      .describe('the delay before each attempt, the first included'),
    WEBHOOKS_EGRESS_PROXY: z
      .url({ protocol: /^https?$/ })
      .transform((written) => new URL(written))
      .refine(hasReadableCredentials, 'its user-info must be percent-encoded')
      .optional()
      .describe(
        'an HTTP proxy that all requests to receivers and token endpoints are tunneled through, e.g. http://user:password@proxy:3128',
      ),
    WEBHOOKS_RETENTION_DAYS: z.coerce
      .number()
      .int()
      .min(1)
      .max(3_650)
      .default(30)
      .describe('how long events, deliveries and attempts are kept'),
    WEBHOOKS_BREAKER_FAILED_PERCENT: z.coerce
      .number()
      .int()
      .min(1)
      .max(100)
      .default(50)
      .describe('a receiver is tried no more for a while when this share of its attempts fails'),
    WEBHOOKS_BREAKER_ATTEMPTS_MIN: z.coerce
      .number()
      .int()
      .min(1)
      .max(100_000)
      .default(10)
      .describe('of at least so many attempts'),
    WEBHOOKS_BREAKER_WINDOW_SECONDS: z.coerce.number().int().min(1).max(3_600).default(60).describe('in so long'),
    WEBHOOKS_BREAKER_CONNECT_ERRORS: z.coerce
      .number()
      .int()
      .min(1)
      .max(100_000)
      .default(5)
      .describe('or when so many attempts in a row find no connection'),
    WEBHOOKS_BREAKER_PROBE_AFTER_MS: z.coerce
      .number()
      .int()
      .min(50)
      .max(3_600_000)
      .default(30_000)
      .describe('how long until one delivery tries it again'),
  })
  .refine(...vaultConfigIsWhole)
  .refine(...onlyInDevelopment)

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

/** How both processes judge a tenant's URL. */
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

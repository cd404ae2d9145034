import { eventConsumerConfig, eventProducerConfig } from '@payments/chassis/assertion/event-keys'
import { listenConfig, loadConfig, port, wholeNumber } from '@payments/chassis/base/config'
import { copyDaysMax } from '@payments/contracts/nouns/payer-erasure'
import {
  allowPrivate,
  destinationPortList,
  dnsServers,
  egressProxy,
  privateInDevelopmentOnly,
} from '@payments/egress/config'
import { lookupThrough, type Resolving } from '@payments/egress/resolve'
import { backendConfig, callsConfig, serviceConfig } from '@payments/service/config'
import { vaultConfig, vaultConfigIsWhole } from '@payments/vault/config'
import { z } from 'zod'
import type { AttemptsInFlight } from './domain/attempt/attempt-limits.ts'
import { parseSchedule } from './domain/delivery/schedule.ts'
import type { BreakerRules } from './domain/subscription/breaker.ts'

const shared = {
  ...backendConfig,
  HOST: listenConfig.HOST,
  DRAIN_DELAY_MS: listenConfig.DRAIN_DELAY_MS,
  ...eventConsumerConfig,
  ...vaultConfig,
  WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: allowPrivate.describe(
    'Allow destinations with http and private addresses; only where ENVIRONMENT is dev',
  ),
  WEBHOOKS_DESTINATION_PORTS: destinationPortList.describe('Ports that destinations may use'),
  WEBHOOKS_DNS_SERVERS: dnsServers.describe(
    'DNS servers that resolve destinations, e.g. 192.0.2.53,[2001:db8::53]:5353; empty: the name servers of the system',
  ),
}

export const environment = z
  .object({
    ...serviceConfig,
    ...shared,
    ...callsConfig('business-unit'),
    ...eventProducerConfig,
  })
  .check(...vaultConfigIsWhole)
  .refine(...privateInDevelopmentOnly('WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS'))

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
        const message =
          'must be 1 to 50 delays of at most 30d, e.g. 0s,5s,30s,2m. The first one is 0s, because fan-out starts the ' +
          'first attempt as it stores the delivery'
        context.addIssue({ code: 'custom', message })
        return z.NEVER
      })
      .describe(
        'Delays before the attempts of a delivery, the first of them 0s; their number is the number of attempts. ' +
          'Example: 0s,200ms,400ms is three attempts, and the first retry uses the second entry',
      ),
    WEBHOOKS_EGRESS_PROXY: egressProxy.describe(
      'HTTP proxy for requests to receivers and token endpoints, e.g. http://user:password@proxy:3128',
    ),
    WEBHOOKS_RETENTION_DAYS: wholeNumber(1, copyDaysMax - 1)
      .default(30)
      .describe('Days after the day of an event on which it is deleted, with its deliveries and attempts'),
    WEBHOOKS_ATTEMPTS_PER_DESTINATION_MAX: wholeNumber(1, 1_000)
      .default(10)
      .describe('Maximum delivery attempts in flight per destination, of all dispatchers together'),
    WEBHOOKS_ATTEMPTS_PER_TENANT_MAX: wholeNumber(1, 10_000)
      .default(50)
      .describe('Maximum delivery attempts in flight per tenant, of all dispatchers together'),
    WEBHOOKS_BREAKER_FAILED_PERCENT: wholeNumber(1, 100)
      .default(50)
      .describe('Share of failed attempts in the window that opens the circuit breaker of a destination'),
    WEBHOOKS_BREAKER_ATTEMPTS_MIN: wholeNumber(1, 100_000)
      .default(10)
      .describe('Minimum attempts in the window before the circuit breaker may open'),
    WEBHOOKS_BREAKER_WINDOW_SECONDS: wholeNumber(1, 3_600)
      .default(60)
      .describe('Window in which the circuit breaker counts attempts'),
    WEBHOOKS_BREAKER_CONNECT_ERRORS: wholeNumber(1, 100_000)
      .default(5)
      .describe('Consecutive attempts without a connection that open the circuit breaker'),
    WEBHOOKS_BREAKER_PROBE_AFTER_MS: wholeNumber(50, 3_600_000)
      .default(30_000)
      .describe('Time until one delivery probes a destination with an open circuit breaker'),
  })
  .check(...vaultConfigIsWhole)
  .refine(...privateInDevelopmentOnly('WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS'))

export type ApiConfig = z.output<typeof environment>
export type DispatcherConfig = z.output<typeof dispatcherEnvironment>

export function toBreakerRules(config: DispatcherConfig): BreakerRules {
  return {
    failedPercentMin: config.WEBHOOKS_BREAKER_FAILED_PERCENT,
    attemptsMin: config.WEBHOOKS_BREAKER_ATTEMPTS_MIN,
    windowMs: config.WEBHOOKS_BREAKER_WINDOW_SECONDS * 1_000,
    connectErrorsMax: config.WEBHOOKS_BREAKER_CONNECT_ERRORS,
    probeAfterMs: config.WEBHOOKS_BREAKER_PROBE_AFTER_MS,
  }
}

export function toAttemptsInFlight(config: DispatcherConfig): AttemptsInFlight {
  return {
    perDestinationMax: config.WEBHOOKS_ATTEMPTS_PER_DESTINATION_MAX,
    perTenantMax: config.WEBHOOKS_ATTEMPTS_PER_TENANT_MAX,
  }
}

export const readApiConfig = (): ApiConfig => loadConfig(environment, process.env)
export const readDispatcherConfig = (): DispatcherConfig => loadConfig(dispatcherEnvironment, process.env)

/** The rules for tenants' URLs in both processes. */
export const toEgressRules = (
  config: Pick<
    ApiConfig,
    'WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS' | 'WEBHOOKS_DESTINATION_PORTS' | 'WEBHOOKS_DNS_SERVERS'
  >,
): Resolving => ({
  allowPrivate: config.WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS,
  ports: config.WEBHOOKS_DESTINATION_PORTS,
  lookup: lookupThrough(config.WEBHOOKS_DNS_SERVERS),
})

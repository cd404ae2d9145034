import type { Client } from '@payments/chassis/client/client'
import type { Log } from '@payments/chassis/observability/log'
import type { apiKey } from '@payments/contracts/services/api-key/contract'
import { type LeaseClient, sendReport } from '../authorization/lease-client.ts'
import type { Config } from '../config.ts'
import { type BodyBudget, createBodyBudget } from './body-budget.ts'
import { createFailedAuthentications, type FailedAuthentications } from './failed-authentications.ts'
import { createFleetRates, type FleetRates, type FleetState } from './fleet-rates.ts'
import { createKnownCallers, type KnownCallers } from './known-callers.ts'
import { createSharedCounters, type SharedCounters } from './shared-counters.ts'
import type { RateLimit } from './token-bucket.ts'
import { createUnverifiedRequests, type UnverifiedRequests } from './unverified-requests.ts'

export interface Limits {
  /** Per API key and per user. */
  readonly credential: RateLimit
  readonly tenant: RateLimit
  readonly failures: FailedAuthentications
  /**
   * Of cookies, and of credentials that have ended. They are no guesses: a browser or program sends what it has, and
   * colleagues share an address. As many as unverified requests.
   */
  readonly staleCredentials: FailedAuthentications
  readonly known: KnownCallers
  /** Per address, for requests without a verified credential. */
  readonly unverified: UnverifiedRequests
  /** Per address, for what pages of other sites embed: a person whose browser shows such a page causes none of it. */
  readonly embedded: UnverifiedRequests
  /** Per address, for webhooks of payment providers: a provider sends for all its merchants from few addresses. */
  readonly webhooks: UnverifiedRequests
  readonly takeReveal: SharedCounters['takeReveal']
  readonly bodies: BodyBudget
  /** The RateLimit-Policy field for each kind of credential. */
  readonly policies: Readonly<Record<'key' | 'user', string>>
  /** How this replica shares the rates of credentials and tenants with the other replicas. */
  fleetState(): FleetState
  /** See fleet-rates.ts. */
  readonly takeReport: FleetRates['takeReport']
  /** Ends the reports to the shared rates. */
  close(): Promise<void>
}

interface LimitsOptions {
  readonly config: Config
  readonly store: Client<typeof apiKey, 'gateway'>
  /** Of api-key. */
  readonly acquireLease: LeaseClient
  readonly log: Log
}

export function createLimits({ config, store, acquireLease, log }: LimitsOptions): Limits {
  const shared = createSharedCounters({
    store,
    revealsPerMinute: config.REVEALS_PER_MINUTE,
    onFailure: (err) =>
      log.warn({ err }, 'shared counters are unavailable: this replica counts failed authentications alone'),
  })
  const { credential, tenant, takeReport, state, close } = createFleetRates({
    send: (report) => void sendReport(acquireLease, report),
    credential: { perSecond: config.REQUESTS_PER_SECOND_PER_KEY, burst: config.REQUEST_BURST_PER_KEY },
    tenant: { perSecond: config.REQUESTS_PER_SECOND_PER_TENANT, burst: config.REQUEST_BURST_PER_TENANT },
    onChange: (err) => {
      if (err === undefined) log.info('request rates are shared with the other replicas again')
      else log.warn({ err }, 'request rates are not shared: this replica keeps to its part of the limits')
    },
  })
  const policies = (name: string) => `${policyItem(name, credential)}, ${policyItem('tenant', tenant)}`
  return {
    credential,
    tenant,
    failures: createFailedAuthentications({ perMinuteMax: config.FAILED_AUTHENTICATIONS_PER_MINUTE, shared }),
    staleCredentials: createFailedAuthentications({
      perMinuteMax: config.UNVERIFIED_REQUESTS_PER_MINUTE,
      shared: { failedAuthentications: async () => undefined },
    }),
    known: createKnownCallers(),
    unverified: createUnverifiedRequests(config.UNVERIFIED_REQUESTS_PER_MINUTE),
    embedded: createUnverifiedRequests(config.UNVERIFIED_REQUESTS_PER_MINUTE),
    webhooks: createUnverifiedRequests(config.PROVIDER_WEBHOOKS_PER_MINUTE),
    takeReveal: shared.takeReveal,
    bodies: createBodyBudget(),
    policies: { key: policies('key'), user: policies('user') },
    fleetState: state,
    takeReport,
    close: async () => close(),
  }
}

/** `q` is the size of the bucket, `w` the seconds in which an empty bucket becomes full. */
function policyItem(name: string, { policy: { perSecond, burst } }: RateLimit): string {
  return `"${name}";q=${burst};w=${Math.ceil(burst / perSecond)}`
}

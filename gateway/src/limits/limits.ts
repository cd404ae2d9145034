import type { Client } from '@payments/chassis/client/client'
import type { Log } from '@payments/chassis/observability/log'
import type { apiKey } from '@payments/contracts/services/api-key/contract'
import { type LeaseClient, sendReport } from '../authorization/lease-client.ts'
import { type BodyBudget, createBodyBudget } from './body-budget.ts'
import { createFailedAuthentications, type FailedAuthentications } from './failed-authentications.ts'
import { createFleetRates, type FleetRates, type FleetState } from './fleet-rates.ts'
import { createKnownCallers, type KnownCallers } from './known-callers.ts'
import { createSharedCounters, type SharedCounters } from './shared-counters.ts'
import type { RateLimit, RateLimitPolicy } from './token-bucket.ts'
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
  close(): void
}

interface LimitsOptions {
  /** Of one API key or user. */
  readonly credential: RateLimitPolicy
  readonly tenant: RateLimitPolicy
  /** Per address, as the next two. */
  readonly failuresPerMinute: number
  readonly unverifiedPerMinute: number
  readonly webhooksPerMinute: number
  /** Per actor. */
  readonly revealsPerMinute: number
  readonly store: Client<typeof apiKey, 'gateway'>
  /** Of api-key. */
  readonly acquireLease: LeaseClient
  readonly log: Log
}

export function createLimits(options: LimitsOptions): Limits {
  const { failuresPerMinute, unverifiedPerMinute, webhooksPerMinute, revealsPerMinute, acquireLease, log } = options
  const shared = createSharedCounters({
    store: options.store,
    revealsPerMinute,
    onFailure: (err) =>
      log.warn({ err }, 'shared counters are unavailable: this replica counts failed authentications alone'),
  })
  const { credential, tenant, takeReport, state, close } = createFleetRates({
    send: (report) => void sendReport(acquireLease, report),
    credential: options.credential,
    tenant: options.tenant,
    onChange: (err) => {
      if (err === undefined) log.info('request rates are shared with the other replicas again')
      else log.warn({ err }, 'request rates are not shared: this replica keeps to its part of the limits')
    },
  })
  const formatPolicies = (name: string) => `${formatPolicy(name, credential)}, ${formatPolicy('tenant', tenant)}`
  return {
    credential,
    tenant,
    failures: createFailedAuthentications({ perMinuteMax: failuresPerMinute, shared }),
    staleCredentials: createFailedAuthentications({
      perMinuteMax: unverifiedPerMinute,
      shared: { failedAuthentications: async () => undefined },
    }),
    known: createKnownCallers(),
    unverified: createUnverifiedRequests(unverifiedPerMinute),
    embedded: createUnverifiedRequests(unverifiedPerMinute),
    webhooks: createUnverifiedRequests(webhooksPerMinute),
    takeReveal: shared.takeReveal,
    bodies: createBodyBudget(),
    policies: { key: formatPolicies('key'), user: formatPolicies('user') },
    fleetState: state,
    takeReport,
    close,
  }
}

/** `q` is the size of the bucket, `w` the seconds in which an empty bucket becomes full. */
function formatPolicy(name: string, { policy: { perSecond, burst } }: RateLimit): string {
  return `"${name}";q=${burst};w=${Math.ceil(burst / perSecond)}`
}

import type { Client } from '@payments/chassis/client'
import type { Log } from '@payments/chassis/log'
import type { apiKey } from '@payments/contracts/api-key'
import type { Config } from '../config.ts'
import { type BodyBudget, createBodyBudget } from './body-budget.ts'
import { createFailedAuthentications, type FailedAuthentications } from './failed-authentications.ts'
import { createSharedCounts, type SharedCounts } from './shared-counters.ts'
import { createRateLimit, type RateLimit } from './token-bucket.ts'
import { createUnverifiedRequests, type UnverifiedRequests } from './unverified-requests.ts'

/** How much one credential, tenant or address may ask for. */
export interface Limits {
  /** Of each API key, and of each user. */
  readonly credential: RateLimit
  readonly tenant: RateLimit
  readonly failures: FailedAuthentications
  /** Of each address, without a verified credential. */
  readonly unverified: UnverifiedRequests
  readonly takeReveal: SharedCounts['takeReveal']
  readonly bodies: BodyBudget
  /** The RateLimit-Policy field for each kind of credential. */
  readonly policyOf: Readonly<Record<'key' | 'user', string>>
}

export function createLimits(config: Config, store: Client<typeof apiKey, 'gateway'>, log: Log): Limits {
  const shared = createSharedCounts({
    store,
    revealsPerMinute: config.REVEALS_PER_MINUTE,
    onFailure: (err) => log.warn({ err }, 'failed authentications are counted by this replica alone'),
  })
  const credential = createRateLimit({
    perSecond: config.REQUESTS_PER_SECOND_PER_KEY,
    burst: config.REQUEST_BURST_PER_KEY,
  })
  const tenant = createRateLimit({
    perSecond: config.REQUESTS_PER_SECOND_PER_TENANT,
    burst: config.REQUEST_BURST_PER_TENANT,
  })
  const policyOf = (name: string) => `${policyItem(name, credential)}, ${policyItem('tenant', tenant)}`
  return {
    credential,
    tenant,
    failures: createFailedAuthentications({ perMinuteMax: config.FAILED_AUTHENTICATIONS_PER_MINUTE, shared }),
    unverified: createUnverifiedRequests(config.UNVERIFIED_REQUESTS_PER_MINUTE),
    takeReveal: shared.takeReveal,
    bodies: createBodyBudget(),
    policyOf: { key: policyOf('key'), user: policyOf('user') },
  }
}

/** A bucket that holds `burst` and is filled in `w` seconds. */
function policyItem(name: string, { policy: { perSecond, burst } }: RateLimit): string {
  return `"${name}";q=${burst};w=${Math.ceil(burst / perSecond)}`
}

import type { AssertionKeys } from '@payments/chassis/assertion/assertion'
import type { Log } from '@payments/chassis/observability/log'
import type { ReadinessCheck } from '@payments/chassis/process/health'
import type { Metrics } from '@payments/chassis/process/metrics'
import type { DestinationRules } from '@payments/egress/destination'
import type { Vault } from '@payments/vault/vault'
import type { CardPageRules } from './domain/card-page.ts'
import type { Database } from './store/database.ts'

export interface Deps {
  readonly db: Database
  readonly vault: Vault
  /** The rules of URLs that a tenant gives. */
  readonly destinations: DestinationRules
  /** Whether payment orchestrators in test mode can be active. */
  readonly acceptsTestMode: boolean
  readonly cardPages: CardPageRules
  /** Whether the relay reaches the broker. */
  readonly brokerCheck: ReadinessCheck
  readonly keys: AssertionKeys
  readonly log: Log
  readonly metrics: Metrics
}

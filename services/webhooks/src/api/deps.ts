import type { AssertionKeys } from '@payments/chassis/assertion'
import type { Log } from '@payments/chassis/log'
import type { Metrics } from '@payments/chassis/metrics'
import type { Vault } from '@payments/vault/vault'
import type { DeadLetterQueues } from '../broker/dead-letter-queues.ts'
import type { Destinations } from '../egress/destinations.ts'
import type { Database } from '../store/database.ts'

/** Dependencies of the API. */
export interface Deps {
  readonly db: Database
  readonly vault: Vault
  readonly destinations: Destinations
  readonly deadLetters: DeadLetterQueues
  readonly keys: AssertionKeys
  readonly log: Log
  readonly metrics: Metrics
}

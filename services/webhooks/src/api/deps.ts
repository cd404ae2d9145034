import type { BusinessUnitCopies } from '@payments/business-unit-copies/copies'
import type { AssertionKeys } from '@payments/chassis/assertion/assertion'
import type { Log } from '@payments/chassis/observability/log'
import type { ReadinessCheck } from '@payments/chassis/process/health'
import type { Metrics } from '@payments/chassis/process/metrics'
import type { Quarantine } from '@payments/messaging/quarantine/quarantine'
import type { Vault } from '@payments/vault/vault'
import type { DeadLetterQueues } from '../broker/dead-letter-queues.ts'
import type { Destinations } from '../egress/destinations.ts'
import type { Database } from '../store/database.ts'

/** Dependencies of the API. */
export interface Deps {
  readonly db: Database
  readonly vault: Vault
  readonly destinations: Destinations
  readonly businessUnits: BusinessUnitCopies
  readonly deadLetters: DeadLetterQueues
  readonly quarantine: Quarantine
  /** Whether relay, operators' verbs and consumer reach the broker. */
  readonly brokerCheck: ReadinessCheck
  readonly keys: AssertionKeys
  readonly log: Log
  readonly metrics: Metrics
}

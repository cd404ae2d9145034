import type { AssertionKeys } from '@payments/chassis/assertion/assertion'
import type { Log } from '@payments/chassis/observability/log'
import type { ReadinessCheck } from '@payments/chassis/process/health'
import type { Metrics } from '@payments/chassis/process/metrics'
import type { QuarantineAccess } from '@payments/messaging/quarantine/quarantine-handlers'
import type { SealKeys } from './domain/seal-keys.ts'
import type { Database } from './store/database.ts'

export interface Deps {
  readonly db: Database
  readonly retentionDays: number
  readonly sealKeys: SealKeys
  readonly now: () => Date
  /** The messages that no handler of this service could process. */
  readonly quarantine: QuarantineAccess
  readonly keys: AssertionKeys
  /** Whether this process can publish and consume. */
  readonly brokerCheck: ReadinessCheck
  readonly log: Log
  readonly metrics: Metrics
}

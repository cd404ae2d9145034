import type { AssertionKeys } from '@payments/chassis/assertion'
import type { ReadinessCheck } from '@payments/chassis/health'
import type { Log } from '@payments/chassis/log'
import type { Metrics } from '@payments/chassis/metrics'
import type { SealKeys } from './domain/seal-keys.ts'
import type { Database } from './store/database.ts'

export interface Deps {
  readonly db: Database
  readonly retentionDays: number
  readonly sealKeys: SealKeys
  readonly now: () => Date
  readonly keys: AssertionKeys
  readonly broker: ReadinessCheck
  readonly log: Log
  readonly metrics: Metrics
}

import type { AssertionKeys } from '@payments/chassis/assertion'
import type { Log } from '@payments/chassis/log'
import type { Metrics } from '@payments/chassis/metrics'
import type { Database } from './store/database.ts'

export interface Deps {
  readonly db: Database
  readonly keys: AssertionKeys
  readonly log: Log
  readonly metrics: Metrics
}

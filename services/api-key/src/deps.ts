import type { AssertionKeys } from '@payments/chassis/assertion'
import type { Client } from '@payments/chassis/client'
import type { ReadinessCheck } from '@payments/chassis/health'
import type { Log } from '@payments/chassis/log'
import type { Metrics } from '@payments/chassis/metrics'
import type { rbac } from '@payments/contracts/rbac'
import type { KeyValues } from './key-values/key-values.ts'
import type { Database } from './store/database.ts'

export interface Deps {
  readonly db: Database
  readonly rbac: Client<typeof rbac, 'api-key'>
  readonly values: KeyValues
  /** Whether the relay reaches the broker. */
  readonly brokerCheck: ReadinessCheck
  readonly keys: AssertionKeys
  readonly log: Log
  readonly metrics: Metrics
}

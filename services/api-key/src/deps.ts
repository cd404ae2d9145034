import type { AssertionKeys } from '@payments/chassis/assertion/assertion'
import type { Client } from '@payments/chassis/client/client'
import type { Log } from '@payments/chassis/observability/log'
import type { ReadinessCheck } from '@payments/chassis/process/health'
import type { Metrics } from '@payments/chassis/process/metrics'
import type { rbac } from '@payments/contracts/services/rbac/contract'
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

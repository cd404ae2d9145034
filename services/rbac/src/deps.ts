import type { AssertionKeys } from '@payments/chassis/assertion/assertion'
import type { Client } from '@payments/chassis/client/client'
import type { Log } from '@payments/chassis/observability/log'
import type { ReadinessCheck } from '@payments/chassis/process/health'
import type { Metrics } from '@payments/chassis/process/metrics'
import type { apiKey } from '@payments/contracts/services/api-key/contract'
import type { Database } from './store/database.ts'

export interface Deps {
  readonly db: Database
  /** Counts the keys of a role, and reads the roles of a key. */
  readonly apiKey: Pick<Client<typeof apiKey>, 'countKeysWithRole' | 'readKeyRoles'>
  /** Whether the relay reaches the broker. */
  readonly brokerCheck: ReadinessCheck
  readonly keys: AssertionKeys
  readonly log: Log
  readonly metrics: Metrics
}

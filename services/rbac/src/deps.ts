import type { AssertionKeys } from '@payments/chassis/assertion'
import type { Client } from '@payments/chassis/client'
import type { ReadinessCheck } from '@payments/chassis/health'
import type { Log } from '@payments/chassis/log'
import type { Metrics } from '@payments/chassis/metrics'
import type { apiKey } from '@payments/contracts/api-key'
import type { Database } from './store/database.ts'

export interface Deps {
  readonly db: Database
  /** Knows which keys have a role, and which roles a key has. */
  readonly apiKey: Pick<Client<typeof apiKey>, 'countKeysWithRole' | 'readKeyRoles'>
  /** Whether events get out. */
  readonly broker: ReadinessCheck
  readonly keys: AssertionKeys
  readonly log: Log
  readonly metrics: Metrics
}

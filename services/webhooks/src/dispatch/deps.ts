import type { Log } from '@payments/chassis/observability/log'
import type { Vault } from '@payments/vault/vault'
import type { Queues } from '../broker/queues.ts'
import type { Schedule } from '../domain/schedule.ts'
import type { AuthenticatedSend } from '../egress/authenticated-send.ts'
import type { SigningKeys } from '../egress/signing-keys.ts'
import type { DispatcherDatabase } from '../store/database.ts'
import type { DestinationLimits } from './destination-limits.ts'
import type { DispatchMetrics } from './metrics.ts'
import type { Workers } from './workers.ts'

export interface Egress {
  readonly send: AuthenticatedSend
  readonly limits: DestinationLimits
  readonly signingKeys: SigningKeys
}

export interface DispatcherDeps {
  readonly db: DispatcherDatabase
  readonly vault: Vault
  readonly queues: Queues
  readonly egress: Egress
  readonly schedule: Schedule
  readonly log: Log
  readonly metrics: DispatchMetrics
}

/** Dependencies of code that gives deliveries to workers. */
export interface WorkerDeps extends DispatcherDeps {
  readonly workers: Pick<Workers, 'free' | 'waitForCapacity' | 'take'>
}

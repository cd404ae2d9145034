import type { Log } from '@payments/chassis/observability/log'
import type { DeadLetterQueues } from '../broker/dead-letter-queues.ts'
import type { Queues } from '../broker/queues.ts'
import type { Schedule } from '../domain/delivery/schedule.ts'
import type { AuthenticatedSend } from '../egress/authenticated-send.ts'
import type { SigningKeys } from '../egress/signing-keys.ts'
import type { DispatcherDatabase } from './database.ts'
import type { DestinationLimits } from './destination-limits.ts'
import type { DispatchMetrics } from './metrics.ts'
import type { Workers } from './workers.ts'

export interface DispatcherDeps {
  readonly db: DispatcherDatabase
  readonly queues: Queues
  readonly deadLetters: Pick<DeadLetterQueues, 'depth' | 'browse' | 'publishDeadLetter' | 'messagesMax'>
  readonly limits: DestinationLimits
  readonly send: AuthenticatedSend
  readonly signingKeys: SigningKeys
  readonly schedule: Schedule
  readonly log: Log
  readonly metrics: DispatchMetrics
}

/** Dependencies of code that gives deliveries to workers. */
export interface WorkerDeps extends DispatcherDeps {
  readonly workers: Pick<Workers, 'free' | 'waitForCapacity' | 'take'>
}

import type { AssertionKeys } from '@payments/chassis/assertion'
import type { Log } from '@payments/chassis/log'
import type { Metrics } from '@payments/chassis/metrics'
import type { Vault } from '@payments/vault/vault'
import type { DeadLetterQueues } from './dead-letter-queues.ts'
import type { Schedule } from './domain/schedule.ts'
import type { AuthenticatedSend } from './egress/authenticated-send.ts'
import type { Destinations } from './egress/destinations.ts'
import type { SigningKeys } from './egress/signing-keys.ts'
import type { Traffic } from './egress/traffic.ts'
import type { Meters } from './meters.ts'
import type { Queues } from './queues.ts'
import type { Database, DispatcherDatabase } from './store/database.ts'
import type { Workers } from './workers.ts'

/** Of the API. */
export interface Deps {
  readonly db: Database
  readonly vault: Vault
  readonly destinations: Destinations
  readonly deadLetters: DeadLetterQueues
  readonly keys: AssertionKeys
  readonly log: Log
  readonly metrics: Metrics
}

/** The way to the receivers. */
export interface Egress {
  readonly send: AuthenticatedSend
  readonly traffic: Traffic
  readonly signingKeys: SigningKeys
}

/** Of one who finds deliveries and puts them to work. */
export interface FinderDeps extends DispatcherDeps {
  readonly workers: Pick<Workers, 'free' | 'room' | 'take'>
}

/** Of the dispatcher. */
export interface DispatcherDeps {
  readonly db: DispatcherDatabase
  readonly vault: Vault
  readonly queues: Queues
  readonly egress: Egress
  readonly schedule: Schedule
  readonly log: Log
  readonly meters: Meters
}

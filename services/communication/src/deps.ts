import type { BusinessUnitCopies } from '@payments/business-unit-copies/copies'
import type { AssertionKeys } from '@payments/chassis/assertion/assertion'
import type { Log } from '@payments/chassis/observability/log'
import type { ReadinessCheck } from '@payments/chassis/process/health'
import type { Metrics } from '@payments/chassis/process/metrics'
import type { QuarantineAccess } from '@payments/messaging/quarantine/quarantine-handlers'
import type { MessageRates } from './domain/message-rates.ts'
import type { Providers } from './providers/provider.ts'
import type { Database } from './store/database.ts'

export interface Deps {
  readonly db: Database
  readonly businessUnits: Pick<BusinessUnitCopies, 'find' | 'requireActive'>
  readonly providers: Providers
  readonly rates: MessageRates
  /** The delivery loop, which verbs wake after a commit that queued a communication. */
  readonly delivery: { wake(): void }
  /** Whether the messages of the provider `outbox` can be read: in development only. */
  readonly showsOutbox: boolean
  readonly now: () => Date
  /** Whether relay and consumer reach the broker. */
  readonly brokerCheck: ReadinessCheck
  /** The messages that no handler of this service could process. */
  readonly quarantine: QuarantineAccess
  readonly keys: AssertionKeys
  readonly log: Log
  readonly metrics: Metrics
}

import type { QuarantineAccess } from '@payments/messaging/quarantine/quarantine-handlers'
import type { BusinessUnitCopies } from '@payments/service/business-units/copies'
import type { PayerHashKeys } from '@payments/service/payers/hashes'
import type { ServiceDeps } from '@payments/service/run-service'
import type { messageRates } from './config.ts'
import type { Providers } from './providers/provider.ts'
import type { Database } from './store/database.ts'

export interface Deps extends ServiceDeps<Database> {
  readonly businessUnits: Pick<BusinessUnitCopies, 'find' | 'requireActive' | 'apply'>
  readonly providers: Providers
  readonly rates: ReturnType<typeof messageRates>
  /** The delivery loops, which verbs wake after a commit that queued a message. */
  readonly delivery: { wake(): void }
  /** Whether the messages of the provider `outbox` can be read: in development only. */
  readonly showsOutbox: boolean
  readonly now: () => Date
  /** The messages that no handler of this service could process. */
  readonly quarantine: QuarantineAccess
  /** Of the hashes of erased payers. */
  readonly payerHashKeys: PayerHashKeys
}

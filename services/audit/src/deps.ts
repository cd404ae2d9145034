import type { QuarantineAccess } from '@payments/messaging/quarantine/quarantine-handlers'
import type { ServiceDeps } from '@payments/service/run-service'
import type { SealKeys } from './domain/chain.ts'
import type { Searches } from './search/searches.ts'
import type { Database } from './store/database.ts'

export interface Deps extends ServiceDeps<Database> {
  readonly retentionDays: number
  readonly sealKeys: SealKeys
  readonly now: () => Date
  readonly searches: Searches
  /** The messages that no handler of this service could process. */
  readonly quarantine: QuarantineAccess
}

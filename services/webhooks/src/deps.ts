import type { Quarantine } from '@payments/messaging/quarantine/quarantine'
import type { BusinessUnitCopies } from '@payments/service/business-units/copies'
import type { ServiceDeps } from '@payments/service/run-service'
import type { Vault } from '@payments/vault/vault'
import type { DeadLetterQueues } from './broker/dead-letter-queues.ts'
import type { Waits } from './changes/waits.ts'
import type { Destinations } from './egress/destinations.ts'
import type { Database } from './store/database.ts'

/** Dependencies of the API. */
export interface Deps extends ServiceDeps<Database> {
  readonly vault: Vault
  readonly destinations: Destinations
  readonly businessUnits: BusinessUnitCopies
  readonly deadLetters: DeadLetterQueues
  readonly quarantine: Quarantine
  readonly waits: Waits
}

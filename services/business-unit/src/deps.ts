import type { DestinationRules } from '@payments/egress/destination'
import type { ServiceDeps } from '@payments/service/run-service'
import type { Vault } from '@payments/vault/vault'
import type { CardPageRules } from './domain/card-page.ts'
import type { Database } from './store/database.ts'

export interface Deps extends ServiceDeps<Database> {
  readonly vault: Vault
  /** The rules of URLs that a tenant gives. */
  readonly destinations: DestinationRules
  /** Whether payment orchestrators in test mode can be active. */
  readonly acceptsTestMode: boolean
  readonly cardPages: CardPageRules
}

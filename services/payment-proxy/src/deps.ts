import type { Rates } from '@payments/chassis/base/rates'
import type { Client } from '@payments/chassis/client/client'
import type { inviteToPay } from '@payments/contracts/services/invite-to-pay/contract'
import type { QuarantineAccess } from '@payments/messaging/quarantine/quarantine-handlers'
import type { BusinessUnitCopies } from '@payments/service/business-units/copies'
import type { ServiceDeps } from '@payments/service/run-service'
import type { ProviderCalls } from './connectors/provider-calls.ts'
import type { ProviderPermits } from './operation/provider-permits.ts'
import type { Database } from './store/database.ts'

export interface Deps extends ServiceDeps<Database> {
  readonly providerCalls: ProviderCalls
  readonly providerPermits: ProviderPermits
  /** Counts a check of a payment orchestrator by its tenant. */
  readonly secondsToCheck: Rates
  /** Counts a sync by its transaction. */
  readonly secondsToSync: Rates
  readonly units: Pick<BusinessUnitCopies, 'find' | 'current' | 'apply'>
  /** Whether payment orchestrators in test mode take payments. */
  readonly acceptsTestMode: boolean
  readonly inviteToPay: Client<typeof inviteToPay, 'payment-proxy'>
  /** Origin of the bank of the sandbox. */
  readonly payBaseUrl: string
  readonly now: () => Date
  /** The messages that no handler of this service could process. */
  readonly quarantine: QuarantineAccess
  /** The events of outcomes that their contract rejected. */
  readonly quarantinedEvents: QuarantineAccess
}

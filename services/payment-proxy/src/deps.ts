import type { BusinessUnitCopies } from '@payments/business-unit-copies/copies'
import type { AssertionKeys } from '@payments/chassis/assertion/assertion'
import type { Client } from '@payments/chassis/client/client'
import type { Log } from '@payments/chassis/observability/log'
import type { ReadinessCheck } from '@payments/chassis/process/health'
import type { Metrics } from '@payments/chassis/process/metrics'
import type { inviteToPay } from '@payments/contracts/services/invite-to-pay/contract'
import type { QuarantineAccess } from '@payments/messaging/quarantine/quarantine-handlers'
import type { Provider } from './connectors/provider.ts'
import type { ProviderPermits } from './operation/provider-permits.ts'
import type { Database } from './store/database.ts'

export interface Deps {
  readonly db: Database
  readonly provider: Provider
  readonly providerPermits: ProviderPermits
  readonly units: Pick<BusinessUnitCopies, 'find' | 'current'>
  /** Whether payment orchestrators in test mode take payments. */
  readonly acceptsTestMode: boolean
  readonly inviteToPay: Client<typeof inviteToPay, 'payment-proxy'>
  readonly now: () => Date
  /** The messages that no handler of this service could process. */
  readonly quarantine: QuarantineAccess
  readonly keys: AssertionKeys
  /** Whether the relay reaches the broker. */
  readonly brokerCheck: ReadinessCheck
  readonly log: Log
  readonly metrics: Metrics
}

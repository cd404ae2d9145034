import type { Client } from '@payments/chassis/client/client'
import type { communicationContract } from '@payments/contracts/services/communication/contract'
import type { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import type { rbac } from '@payments/contracts/services/rbac/contract'
import type { QuarantineAccess } from '@payments/messaging/quarantine/quarantine-handlers'
import type { BusinessUnitCopies } from '@payments/service/business-units/copies'
import type { PayerHashKeys } from '@payments/service/payers/hashes'
import type { ServiceDeps } from '@payments/service/run-service'
import type { Vault } from '@payments/vault/vault'
import type { PaymentsInProgress } from './payment/in-progress.ts'
import type { Database } from './store/database.ts'

type PaymentProxy = Client<typeof paymentProxy, 'invite-to-pay'>

export interface Deps extends ServiceDeps<Database> {
  readonly vault: Vault
  readonly rbac: Pick<Client<typeof rbac, 'invite-to-pay'>, 'readTenant'>
  readonly businessUnits: Pick<BusinessUnitCopies, 'find' | 'requireActive' | 'apply'>
  readonly paymentProxy: Pick<PaymentProxy, 'createInvitedTransaction' | 'inviteToPay' | 'findTransaction'>
  /** With the time-out of a payment, which is longer than for other calls. */
  readonly payments: Pick<PaymentProxy, 'payInvitation' | 'syncInvitedPayment' | 'cancelInvitedPayment'>
  /** Runs payments in the background, with a share for each tenant. */
  readonly inProgress: PaymentsInProgress
  readonly communication: Pick<
    Client<typeof communicationContract, 'invite-to-pay'>,
    'queueCommunication' | 'checkTemplate'
  >
  /** The sending loop, which verbs wake after a commit that decided a message. */
  readonly sending: { wake(): void }
  /** Origin of the pay page. */
  readonly payBaseUrl: string
  /** Origin of our card page. Null: the platform has none. */
  readonly cardPageOrigin: string | null
  /** Whether a payment may move no money. */
  readonly acceptsTestMode: boolean
  /** The messages that no handler of this service could process. */
  readonly quarantine: QuarantineAccess
  /** Of the hashes of erased payers. */
  readonly payerHashKeys: PayerHashKeys
}

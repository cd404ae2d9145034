import type { EventDefinitions } from '../grammar/event.ts'
import { apiKey } from '../services/api-key/contract.ts'
import { businessUnitContract } from '../services/business-unit/contract.ts'
import { communicationContract } from '../services/communication/contract.ts'
import { inviteToPay } from '../services/invite-to-pay/contract.ts'
import { paymentProxy } from '../services/payment-proxy/contract.ts'
import { rbac } from '../services/rbac/contract.ts'
import { webhooks } from '../services/webhooks/contract.ts'

/** The catalogue that a subscription chooses from: the events of every contract. */
export const eventTypes: EventDefinitions = {
  ...apiKey.events,
  ...rbac.events,
  ...webhooks.events,
  ...paymentProxy.events,
  ...businessUnitContract.events,
  ...communicationContract.events,
  ...inviteToPay.events,
}

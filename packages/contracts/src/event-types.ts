import { apiKey } from './api-key.ts'
import { businessUnitContract } from './business-unit.ts'
import { communicationContract } from './communication.ts'
import type { EventDefinitions } from './event.ts'
import { inviteToPay } from './invite-to-pay.ts'
import { paymentProxy } from './payment-proxy.ts'
import { rbac } from './rbac.ts'
import { webhooks } from './webhooks.ts'

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

import type { HeldPermissions } from '../grammar/permission.ts'
import { type PayloadPermission, payloadPermissions } from '../services/webhooks/payload.ts'
import type { EventType } from './contracts.ts'

/** The permission to read what the payload of each event type shows. A type without an entry does not compile. */
const permissionByEvent: Readonly<Record<EventType, PayloadPermission>> = {
  'api-key.keys.create': 'apikey:ReadKey',
  'api-key.keys.update': 'apikey:ReadKey',
  'api-key.keys.delete': 'apikey:ReadKey',
  'api-key.keys.assign-roles': 'apikey:ReadKey',
  'api-key.keys.reveal': 'apikey:ReadKey',
  'rbac.roles.create': 'rbac:ReadRole',
  'rbac.roles.update': 'rbac:ReadRole',
  'rbac.roles.delete': 'rbac:ReadRole',
  'webhooks.test': 'webhook:ReadSubscription',
  'webhooks.subscriptions.disabled': 'webhook:ReadSubscription',
  'payment-proxy.transactions.create': 'transaction:ReadTransaction',
  'payment-proxy.transactions.authorize': 'transaction:ReadTransaction',
  'payment-proxy.transactions.authorize.failed': 'transaction:ReadTransaction',
  'payment-proxy.transactions.authorize.and.capture': 'transaction:ReadTransaction',
  'payment-proxy.transactions.authorize.and.capture.failed': 'transaction:ReadTransaction',
  'payment-proxy.transactions.capture': 'transaction:ReadTransaction',
  'payment-proxy.transactions.capture.failed': 'transaction:ReadTransaction',
  'payment-proxy.transactions.void': 'transaction:ReadTransaction',
  'payment-proxy.transactions.void.failed': 'transaction:ReadTransaction',
  'payment-proxy.transactions.refund': 'transaction:ReadTransaction',
  'payment-proxy.transactions.refund.failed': 'transaction:ReadTransaction',
  'business-unit.business-units.create': 'businessunit:ReadBusinessUnit',
  'business-unit.business-units.update': 'businessunit:ReadBusinessUnit',
  'business-unit.business-units.delete': 'businessunit:ReadBusinessUnit',
  'business.unit.payment.orchestrator.create': 'businessunit:ReadPaymentOrchestrator',
  'business.unit.payment.orchestrator.update': 'businessunit:ReadPaymentOrchestrator',
  'business.unit.payment.orchestrator.delete': 'businessunit:ReadPaymentOrchestrator',
  'communication.templates.create': 'communication:ReadTemplate',
  'communication.templates.update': 'communication:ReadTemplate',
  'communication.templates.delete': 'communication:ReadTemplate',
  'communication.communications.send': 'communication:ReadCommunication',
  'communication.communications.send.failed': 'communication:ReadCommunication',
  'invite-to-pay.codes.create': 'invitetopay:ReadCode',
  'invite-to-pay.codes.update': 'invitetopay:ReadCode',
  'invite-to-pay.codes.cancel': 'invitetopay:ReadCode',
  'payment-proxy.i2p.resend': 'invitetopay:ReadCode',
  'identity.users.create': 'user:ReadUser',
  'identity.users.update': 'user:ReadUser',
  'identity.users.delete': 'user:ReadUser',
  'identity.user-invitations.create': 'user:ReadUser',
  'identity.user-invitations.cancel': 'user:ReadUser',
  'identity.user-invitations.accept': 'user:ReadUser',
  'identity.user-invitations.decline': 'user:ReadUser',
  'identity.sessions.create': 'user:ReadUser',
  'identity.sessions.end': 'user:ReadUser',
}

/**
 * The permission that a caller lacks to see payloads of the type; null when none is missing. A type of another release
 * needs every permission of a payload.
 */
export function missingPayloadPermission(
  eventType: string,
  held: HeldPermissions<PayloadPermission>,
): PayloadPermission | null {
  const needed = Object.hasOwn(permissionByEvent, eventType)
    ? [permissionByEvent[eventType as EventType]]
    : payloadPermissions
  return needed.find((one) => !held.has(one)) ?? null
}

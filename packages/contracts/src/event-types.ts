import { z } from 'zod'
import { apiKey } from './api-key.ts'
import type { EventDefinition, EventDefinitions } from './event.ts'
import { paymentProxy } from './payment-proxy.ts'
import { rbac } from './rbac.ts'
import { webhooks } from './webhooks.ts'

/**
 * The catalogue a subscription chooses from: the events of every contract, and those the interface names whose service does
 * not emit them yet, so that a subscription made today receives them on the day it does. The payload of the latter is open.
 */
const open = z.looseObject({})

function announced(scope: EventDefinition['scope'], descriptions: Readonly<Record<string, string>>): EventDefinitions {
  const entries = Object.entries(descriptions).map(([name, description]) => [
    name,
    { description, scope, payload: open },
  ])
  return Object.fromEntries(entries)
}

const later = announced('business_unit', {
  'invite-to-pay.codes.create': 'An invitation to pay was created.',
  'invite-to-pay.codes.update': 'An invitation to pay was changed, completed, or expired.',
  'invite-to-pay.codes.cancel': 'An invitation to pay was canceled.',
  'payment-proxy.i2p.resend': 'An invitation to pay was sent again.',
  'business.unit.payment.orchestrator.create': 'A payment orchestrator was created.',
  'business.unit.payment.orchestrator.update': 'A payment orchestrator was changed.',
  'business.unit.payment.orchestrator.delete': 'A payment orchestrator was deleted.',
  'communication.templates.create': 'A message template was created.',
  'communication.communications.send': 'A message was handed to its provider.',
})

export const eventTypes: EventDefinitions = {
  ...later,
  ...apiKey.events,
  ...rbac.events,
  ...webhooks.events,
  ...paymentProxy.events,
}

import { eventTypes } from '@payments/contracts/event-types'
import { Problem } from '@payments/contracts/problem'
import { problems } from '@payments/contracts/webhooks'
import { type DestinationRules, destinationViolation } from './destination.ts'
import { unknownPositions } from './event-type.ts'

export interface SubscriptionInput {
  readonly destination_url?: string | undefined
  readonly event_types?: readonly string[] | null | undefined
  readonly webhook_auth_info_id?: string | null | undefined
}

const knownTypes = Object.keys(eventTypes).sort()

/** Throws destination_not_allowed, unknown_event_type, unknown_auth_info. */
export function checkSubscription(input: SubscriptionInput, rules: DestinationRules): void {
  if (input.destination_url !== undefined) {
    const detail = destinationViolation(input.destination_url, rules)
    if (detail !== undefined) {
      throw new Problem(problems.destination_not_allowed, { detail, errors: [{ pointer: '/destination_url', detail }] })
    }
  }
  const unknown = unknownPositions(input.event_types ?? [], knownTypes)
  if (unknown.length > 0) {
    const errors = unknown.map((index) => ({ pointer: `/event_types/${index}`, detail: 'is not a known event type' }))
    throw new Problem(problems.unknown_event_type, { errors, extensions: { known_event_types: knownTypes } })
  }
  // No tenant has authentication configurations yet.
  if (input.webhook_auth_info_id != null) {
    const detail = 'is not an authentication configuration of the tenant'
    throw new Problem(problems.unknown_auth_info, { errors: [{ pointer: '/webhook_auth_info_id', detail }] })
  }
}

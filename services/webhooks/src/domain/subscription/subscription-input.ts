import { eventTypes } from '@payments/contracts/edges/event-types'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import { unknownPositions } from '../event/event-type.ts'

const knownTypes = Object.keys(eventTypes).sort()

/** `violation`: of the destination. Throws destination_not_allowed, unknown_event_type. */
export function checkSubscription(types: readonly string[] | null | undefined, violation: string | undefined): void {
  rejectDestination(violation, '/destination_url')
  const unknown = unknownPositions(types ?? [], knownTypes)
  if (unknown.length > 0) {
    const errors = unknown.map((index) => ({ pointer: `/event_types/${index}`, detail: 'is not a known event type' }))
    throw new Problem(problems.unknown_event_type, { errors, extensions: { known_event_types: knownTypes } })
  }
}

export function unknownAuthInfo(): Problem {
  const detail = 'does not identify an authentication configuration of the tenant'
  return new Problem(problems.unknown_auth_info, { errors: [{ pointer: '/webhook_auth_info_id', detail }] })
}

/** Throws destination_not_allowed when there is a violation. */
export function rejectDestination(violation: string | undefined, pointer: string): void {
  if (violation === undefined) return
  throw new Problem(problems.destination_not_allowed, { detail: violation, errors: [{ pointer, detail: violation }] })
}

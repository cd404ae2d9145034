/** What is to be recovered. It rests in a task as JSON, so instants are text. */
export interface Recovery {
  readonly subscriptionId: string
  readonly since: string
  readonly until: string
  /** Events too of which there is no delivery, though the subscription would match them now. */
  readonly includeUnmatched: boolean
}

/**
 * How far a recovery is: first the deliveries that are there, in the order of their ids, then the events without one. Every one is
 * passed once, so what fails again meanwhile is not begun again and again.
 */
export type RecoveryPosition =
  | { readonly among: 'deliveries'; readonly id: string }
  | { readonly among: 'events'; readonly instant: string; readonly id: string }

const noId = '00000000-0000-0000-0000-000000000000'
const firstInstant = '1970-01-01T00:00:00.000Z'

export const firstEvent: RecoveryPosition = { among: 'events', instant: firstInstant, id: noId }

export function readPosition(written: string | null): RecoveryPosition {
  return written === null ? { among: 'deliveries', id: noId } : (JSON.parse(written) as RecoveryPosition)
}

/**
 * The selection of a recovery, for the statements of store/dead-letter/recovery.ts. A task stores it as JSON, so
 * instants are text.
 */
export interface Recovery {
  readonly subscriptionId: string
  readonly since: string
  readonly until: string
  /** Also events without a delivery that the subscription matches now. */
  readonly includeUnmatched: boolean
}

/**
 * The progress of a recovery: first the existing deliveries by id, then the events without one. Each is visited once,
 * so a delivery that fails again during the recovery is not restarted twice.
 */
export interface RecoveryPosition {
  readonly among: 'deliveries' | 'events'
  readonly id: string
}

const noId = '00000000-0000-0000-0000-000000000000'

export const firstEvent: RecoveryPosition = { among: 'events', id: noId }

export function readPosition(written: string | null): RecoveryPosition {
  return written === null ? { among: 'deliveries', id: noId } : (JSON.parse(written) as RecoveryPosition)
}

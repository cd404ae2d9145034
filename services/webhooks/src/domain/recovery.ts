/**
 * The selection of a recovery, for the statements of store/recovery.ts. A task stores it as JSON, so instants are text.
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
export type RecoveryPosition =
  | { readonly among: 'deliveries'; readonly id: string }
  /** `instant`: that of the event, by which a dispatcher of the previous release continues. */
  | { readonly among: 'events'; readonly instant: string; readonly id: string }

const noId = '00000000-0000-0000-0000-000000000000'

export const firstEvent: RecoveryPosition = {
  among: 'events',
  instant: '1970-01-01T00:00:00.000Z',
  id: noId,
}

export function readPosition(written: string | null): RecoveryPosition {
  return written === null ? { among: 'deliveries', id: noId } : (JSON.parse(written) as RecoveryPosition)
}

import { attemptLimits } from './attempt-limits.ts'

/** The longest that a delivery which is let in waits for a slot of its subscription, and then for one of its tenant. */
export const slotWaitMsMax = 250

/** For how long a claim holds: a little longer than an attempt can take, its waits for slots included. */
export const leaseMs = 2 * slotWaitMsMax + attemptLimits.totalTimeoutMs + 3_000

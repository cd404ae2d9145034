import { attemptLimits } from './attempt-limits.ts'

/** Expected wait for a permit up to which a delivery is admitted. */
export const admittedWaitMsMax = 250

/**
 * Maximum wait of an admitted delivery for a permit of its destination, and again for one of its tenant. Longer than
 * expected, because attempts become slower while the process is busy, and the backlog would make it busier.
 */
export const permitWaitMsMax = 1_000

/** Duration of a claim, 15 s: slightly longer than an attempt can take, its waits for permits included. */
export const claimLeaseMs = 2 * permitWaitMsMax + attemptLimits.totalTimeoutMs + 3_000

import { attemptLimits } from './attempt-limits.ts'

/** Maximum wait of an admitted delivery for a permit of its destination, and again for one of its tenant. */
export const permitWaitMsMax = 250

/** Duration of a claim, 13.5 s: slightly longer than an attempt can take, its waits for permits included. */
export const claimLeaseMs = 2 * permitWaitMsMax + attemptLimits.totalTimeoutMs + 3_000

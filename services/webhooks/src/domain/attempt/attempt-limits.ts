/**
 * Time limits from the start of an attempt to a connection and to the last byte; bytes of the response that are
 * stored.
 */
export const attemptLimits = { connectTimeoutMs: 3_000, totalTimeoutMs: 10_000, responseBytesMax: 16 * 1024 }

/** Maximum attempts in flight, of all dispatchers together. */
export interface AttemptsInFlight {
  readonly perDestinationMax: number
  readonly perTenantMax: number
}

/** A delivery starts while its expected wait for a permit is at most this long. */
export const expectedWaitMsMax = 250

/**
 * Maximum wait of a started delivery for a permit of its destination, and again for one of its tenant. Longer than
 * expected, because attempts become slower while the process is busy, and the backlog would make it busier.
 */
export const permitWaitMsMax = 1_000

/** Duration of a claim, 15 s: slightly longer than an attempt can take, its waits for permits included. */
export const claimLeaseMs = 2 * permitWaitMsMax + attemptLimits.totalTimeoutMs + 3_000

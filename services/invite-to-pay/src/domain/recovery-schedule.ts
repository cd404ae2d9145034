const [second, minute, hour] = [1_000, 60_000, 3_600_000]

/** From the claim of a code to the first read of its transaction. A payment starts within 10 s, or never. */
export const firstRecoveryMs = 30 * second

const recoveryDelaysMs = [10 * second, 30 * second, 2 * minute, 10 * minute]

/** From one read of the transaction to the next, after `recoverCount` reads. */
export const recoveryDelayMs = (recoverCount: number): number => recoveryDelaysMs[recoverCount] ?? hour

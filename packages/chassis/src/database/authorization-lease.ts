import { setTimeout as delay } from 'node:timers/promises'

/**
 * **What it does.** Lets a gateway use its caches without a read of the authorization version per request. The source
 * grants a lease with each read, and delays the acknowledgment of each change until all leases granted before have
 * expired.
 *
 * **Guarantees.** A request that arrives after the response finds only leases whose read was sent after the commit.
 * README.md has the proof.
 *
 * **Not guaranteed.** Invisibility of a change before its response: another request may already see it.
 */
export const leaseMs = 100

/** `leaseMs`, 1 % of it for each of two clocks, and 1 ms. docs/decisions/0008 has the order to lengthen both. */
const outwaitMs = leaseMs * 1.02 + 1

/** The clock and the timer of a process. */
export interface Timer {
  /** Milliseconds on a clock that is never set. */
  now(): number
  sleep(ms: number): Promise<void>
}

const processTimer: Timer = { now: () => performance.now(), sleep: (ms) => delay(ms) }

/** Resolves when every lease has expired that was granted before the call. Takes 103 ms. */
export async function outwaitLeases({ now, sleep }: Timer = processTimer): Promise<void> {
  const until = now() + outwaitMs
  // A timer may fire up to a millisecond early.
  for (let leftMs = outwaitMs; leftMs > 0; leftMs = until - now()) await sleep(leftMs)
}

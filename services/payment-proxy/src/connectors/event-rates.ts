import { LRUCache } from 'lru-cache'

/** The rate at which each payment orchestrator may report events: `burst` at once, then `perSecond`. */
const eventRate = { perSecond: 50, burst: 500 }

export type EventRates = (paymentOrchestratorId: string) => number

const orchestratorsMax = 10_000

/**
 * Returns a function that counts an event of a payment orchestrator: 0, or the seconds after which to send it again.
 * Each process counts for itself. An instant per payment orchestrator is stored: the end of the events counted so far
 * at `perSecond` (generic cell rate algorithm).
 */
export function createEventRates({ perSecond, burst } = eventRate, now = () => performance.now()): EventRates {
  const ends = new LRUCache<string, number>({ max: orchestratorsMax })
  const intervalMs = 1_000 / perSecond
  return (paymentOrchestratorId) => {
    const end = Math.max(now(), ends.get(paymentOrchestratorId) ?? 0) + intervalMs
    const excessMs = end - now() - burst * intervalMs
    if (excessMs > 0) return Math.ceil(excessMs / 1_000)
    ends.set(paymentOrchestratorId, end)
    return 0
  }
}

import { LRUCache } from 'lru-cache'

/**
 * **What it does.** Decides whether a request may be sent to a payment orchestrator: a bulkhead limits the requests in
 * flight, and a circuit breaker stops operations while the provider fails.
 *
 * **Guarantees.** A slow provider holds at most `inFlightMax` requests, of which at most `syncsInFlightMax` are no
 * operations: who may only read leaves operations their part. After `failuresMax` failed operations in a row
 * the circuit is open: operations are rejected for `openMs`, then one at a time is admitted, and its success closes the
 * circuit. Syncs and cancellations pass an open circuit: they move no money, and end open operations.
 *
 * **Not guaranteed.** That processes share the state: each counts for itself.
 */
export interface Admission {
  /** Rejected: the reason. Admitted: the function that reports the end of the request. */
  enter(paymentOrchestratorId: string, kind: 'execute' | 'sync'): Rejection | Ticket
}

/** `not_shown`: the request was of no use whatever the state of the provider, so it counts neither way. */
export type ProviderHealth = 'healthy' | 'failing' | 'not_shown'

type Rejection = { readonly rejected: string }
type Ticket = { leave(health: ProviderHealth): void }

export const admissionLimits = { inFlightMax: 64, syncsInFlightMax: 16, failuresMax: 5, openMs: 10_000 }

interface Gate {
  inFlight: number
  syncsInFlight: number
  /** Failed operations in a row. */
  failures: number
  /** `performance.now()` until which operations are rejected. */
  openUntil: number
  probing: boolean
}

const gatesMax = 10_000

export function createAdmission(limits = admissionLimits): Admission {
  const gates = new LRUCache<string, Gate>({ max: gatesMax })
  const gateOf = (id: string): Gate => {
    const gate = gates.get(id) ?? { inFlight: 0, syncsInFlight: 0, failures: 0, openUntil: 0, probing: false }
    gates.set(id, gate)
    return gate
  }
  return {
    enter: (id, kind) => {
      const gate = gateOf(id)
      if (gate.inFlight >= limits.inFlightMax) {
        return { rejected: `${limits.inFlightMax} requests to the payment orchestrator are in flight` }
      }
      if (kind === 'sync' && gate.syncsInFlight >= limits.syncsInFlightMax) {
        return { rejected: `${limits.syncsInFlightMax} syncs of the payment orchestrator are in flight` }
      }
      const isOpen = kind === 'execute' && gate.failures >= limits.failuresMax
      if (isOpen && (gate.probing || performance.now() < gate.openUntil)) {
        return { rejected: 'the payment provider failed repeatedly' }
      }
      if (isOpen) gate.probing = true
      gate.inFlight += 1
      if (kind === 'sync') gate.syncsInFlight += 1
      return {
        leave: (health) => {
          gate.inFlight -= 1
          if (kind === 'sync') {
            gate.syncsInFlight -= 1
            return
          }
          if (isOpen) gate.probing = false
          if (health === 'not_shown') return
          gate.failures = health === 'failing' ? gate.failures + 1 : 0
          if (health === 'failing') gate.openUntil = performance.now() + limits.openMs
        },
      }
    },
  }
}

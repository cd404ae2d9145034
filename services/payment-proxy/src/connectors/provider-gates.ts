import { createPermits, type Release } from '@payments/chassis/base/fair-permits'
import { LRUCache } from 'lru-cache'

/**
 * **What it does.** Decides whether a request may be sent to a payment orchestrator: a bulkhead limits the requests in
 * flight, and a circuit breaker stops operations while the provider fails.
 *
 * **Guarantees.** A slow provider holds at most `inFlightMax` requests, `syncsInFlightMax` of them syncs, so who may
 * only read leaves operations their part. A key or user has three quarters of either. After `failuresMax` failed
 * operations in a row the circuit is open: operations are rejected for `openMs`, then one at a time is admitted, and
 * its success closes the circuit. Syncs and cancellations pass: they move no money.
 *
 * **Not guaranteed.** That processes share the state, as the breaker of webhooks does: a delivery can wait.
 */
export interface ProviderGates {
  /** Rejected: the reason. Admitted: the function that reports the end of the request. */
  enter(paymentOrchestratorId: string, kind: 'execute' | 'sync'): Rejection | Ticket
}

/** `not_shown`: the request was of no use whatever the state of the provider, so it counts neither way. */
export type ProviderHealth = 'healthy' | 'failing' | 'not_shown'

type Rejection = { readonly rejected: string }
type Ticket = { leave(health: ProviderHealth): void }

export const gateLimits = { inFlightMax: 64, syncsInFlightMax: 16, failuresMax: 5, openMs: 10_000 }

interface Circuit {
  /** Failed operations in a row. */
  failures: number
  /** `performance.now()` until which operations are rejected. */
  openUntil: number
  probing: boolean
}

const circuitsMax = 10_000

export function createProviderGates(limits = gateLimits): ProviderGates {
  const requests = createInFlight(limits.inFlightMax)
  const syncs = createInFlight(limits.syncsInFlightMax)
  const circuits = new LRUCache<string, Circuit>({ max: circuitsMax })
  return {
    enter: (id, kind) => {
      const request = requests.enter(id)
      if ('rejected' in request) return request
      if (kind === 'sync') {
        const sync = syncs.enter(id)
        if ('rejected' in sync) {
          request.release()
          return sync
        }
        return {
          leave: () => {
            sync.release()
            request.release()
          },
        }
      }
      const circuit = circuits.get(id) ?? { failures: 0, openUntil: 0, probing: false }
      circuits.set(id, circuit)
      const isOpen = circuit.failures >= limits.failuresMax
      if (isOpen && (circuit.probing || performance.now() < circuit.openUntil)) {
        request.release()
        return { rejected: 'the payment provider failed repeatedly' }
      }
      if (isOpen) circuit.probing = true
      return {
        leave: (health) => {
          request.release()
          if (isOpen) circuit.probing = false
          if (health === 'not_shown') return
          circuit.failures = health === 'failing' ? circuit.failures + 1 : 0
          if (health === 'failing') circuit.openUntil = performance.now() + limits.openMs
        },
      }
    },
  }
}

/** Of the requests in flight, for one key or user. */
const memberShare = 0.75

/** Permits of each payment orchestrator, for at most `max` requests. */
function createInFlight(max: number) {
  const memberMax = Math.ceil(max * memberShare)
  const permits = createPermits({ permitsMax: Number.POSITIVE_INFINITY, perSubjectMax: max, perMemberMax: memberMax })
  return {
    enter: (id: string): Rejection | { readonly release: Release } => {
      const release = permits.tryAcquire(id)
      if (release !== undefined) return { release }
      const used = permits.held().get(id) === max ? `${max} requests` : `${memberMax} requests of the caller`
      return { rejected: `${used} to the payment orchestrator are in flight` }
    },
  }
}

import { members } from '@payments/chassis/base/fair-permits'
import { LRUCache } from 'lru-cache'

/**
 * **What it does.** Decides whether a request may be sent to a payment orchestrator: a bulkhead limits the requests in
 * flight, and a circuit breaker stops operations while the provider fails.
 *
 * **Guarantees.** A slow provider holds at most `inFlightMax` requests, of which at most `syncsInFlightMax` are no
 * operations: who may only read leaves operations their part. A key or user has three quarters of either. After
 * `failuresMax` failed operations in a row the circuit is open: operations are rejected for `openMs`, then one at a
 * time is admitted, and its success closes the circuit. Syncs and cancellations pass an open circuit: they move no
 * money, and end open operations.
 *
 * **Not guaranteed.** That processes share the state: each counts for itself.
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

/** Of the requests in flight, for one key or user. */
const memberShare = 0.75

interface InFlight {
  all: number
  /** Of each key and user that has some. */
  readonly ofMembers: Map<string, number>
}

interface Gate {
  readonly inFlight: InFlight
  readonly syncsInFlight: InFlight
  /** Failed operations in a row. */
  failures: number
  /** `performance.now()` until which operations are rejected. */
  openUntil: number
  probing: boolean
}

const gatesMax = 10_000

export function createProviderGates(limits = gateLimits): ProviderGates {
  const gates = new LRUCache<string, Gate>({ max: gatesMax })
  const ensureGate = (id: string): Gate => {
    const gate = gates.get(id) ?? {
      inFlight: { all: 0, ofMembers: new Map() },
      syncsInFlight: { all: 0, ofMembers: new Map() },
      ...{ failures: 0, openUntil: 0, probing: false },
    }
    gates.set(id, gate)
    return gate
  }
  return {
    enter: (id, kind) => {
      const gate = ensureGate(id)
      const member = members.getStore() ?? ''
      const used =
        findReachedLimit(gate.inFlight, limits.inFlightMax, member) ??
        (kind === 'sync' ? findReachedLimit(gate.syncsInFlight, limits.syncsInFlightMax, member) : undefined)
      if (used !== undefined) return { rejected: `${used} to the payment orchestrator are in flight` }
      const isOpen = kind === 'execute' && gate.failures >= limits.failuresMax
      if (isOpen && (gate.probing || performance.now() < gate.openUntil)) {
        return { rejected: 'the payment provider failed repeatedly' }
      }
      if (isOpen) gate.probing = true
      changeInFlight(gate.inFlight, member, 1)
      if (kind === 'sync') changeInFlight(gate.syncsInFlight, member, 1)
      return {
        leave: (health) => {
          changeInFlight(gate.inFlight, member, -1)
          if (kind === 'sync') {
            changeInFlight(gate.syncsInFlight, member, -1)
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

/** The requests that use up a limit of all, or of the member; undefined: one more may be sent. */
function findReachedLimit({ all, ofMembers }: InFlight, max: number, member: string): string | undefined {
  if (all >= max) return `${max} requests`
  const ofMemberMax = Math.ceil(max * memberShare)
  return member !== '' && (ofMembers.get(member) ?? 0) >= ofMemberMax
    ? `${ofMemberMax} requests of the caller`
    : undefined
}

function changeInFlight(inFlight: InFlight, member: string, change: 1 | -1): void {
  inFlight.all += change
  const after = (inFlight.ofMembers.get(member) ?? 0) + change
  if (after === 0) inFlight.ofMembers.delete(member)
  else inFlight.ofMembers.set(member, after)
}

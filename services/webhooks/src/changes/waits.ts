import type { Log } from '@payments/chassis/observability/log'
import { everyResting } from '@payments/chassis/process/schedule'
import { changedTopics, type Sequences } from '../domain/changes.ts'
import { findSequences, listSequences } from '../store/changes.ts'
import type { Database } from '../store/database.ts'

/**
 * **What it does.** Holds requests until something changes for their tenant.
 *
 * **Participants.** Dispatchers, which count changes in the database (store/changes.ts). While requests wait, one
 * statement every `pollMs` reads the numbers of their tenants, whatever the number of requests.
 *
 * **Guarantees.** A wait ends when its time is over, and at once when its client leaves or the process drains. A change
 * that was counted before the wait, or during it, ends the wait, whichever process counted it, with the broker up or
 * down.
 *
 * **Not guaranteed.** A wait beyond `perTenantMax` of its tenant, or beyond `waitsMax`: it ends at once.
 */
export interface Waits {
  /** Returns the sequences of the tenant: others than `known`, unless the wait ended without a change. */
  wait(tenantId: string, known: Sequences, waitMs: number, left?: AbortSignal): Promise<Sequences>
  /** The number of open waits. */
  open(): number
  stop(): Promise<void>
}

interface Waiting {
  readonly known: Sequences
  readonly end: (sequences: Sequences) => void
}

const pollMs = 250
const waitsMax = 4_000
/** Gateways limit the open ones. */
const waitsPerTenantMax = 200

interface WaitOptions {
  readonly db: Database
  readonly log: Log
  readonly perTenantMax?: number
}

export function startWaits({ db, log, perTenantMax = waitsPerTenantMax }: WaitOptions): Waits {
  const byTenant = new Map<string, Set<Waiting>>()
  let waiting = 0
  let stopped = false
  const waits = { intervalMs: pollMs, restMs: Number.POSITIVE_INFINITY }
  const poll = everyResting(waits, 'changes', log, async () => {
    if (byTenant.size === 0) return
    poll.soon()
    const found = await listSequences(db.crossTenant, [...byTenant.keys()])
    for (const [tenantId, sequences] of found) {
      for (const one of byTenant.get(tenantId) ?? []) {
        if (changedTopics(one.known, sequences).length > 0) one.end(sequences)
      }
    }
  })
  const waitForChange = (tenantId: string, known: Sequences, waitMs: number, left: AbortSignal | undefined) =>
    new Promise<Sequences>((resolve) => {
      const ofTenant = byTenant.get(tenantId) ?? new Set()
      const end = (sequences: Sequences) => {
        clearTimeout(timer)
        left?.removeEventListener('abort', leave)
        waiting -= 1
        ofTenant.delete(one)
        if (ofTenant.size === 0) byTenant.delete(tenantId)
        resolve(sequences)
      }
      const one = { known, end }
      const leave = () => end(known)
      left?.addEventListener('abort', leave)
      const timer = setTimeout(() => end(known), waitMs)
      byTenant.set(tenantId, ofTenant.add(one))
      waiting += 1
      poll.soon()
    })
  return {
    wait: async (tenantId, known, waitMs, left) => {
      const now = await db.readInTenant(tenantId, (tx) => findSequences(tx, tenantId))
      const isFull = waiting >= waitsMax || (byTenant.get(tenantId)?.size ?? 0) >= perTenantMax
      if (stopped || isFull || left?.aborted === true || changedTopics(known, now).length > 0) return now
      return waitForChange(tenantId, known, waitMs, left)
    },
    open: () => waiting,
    stop: async () => {
      stopped = true
      for (const ofTenant of [...byTenant.values()]) for (const { known, end } of [...ofTenant]) end(known)
      await poll.stop()
    },
  }
}

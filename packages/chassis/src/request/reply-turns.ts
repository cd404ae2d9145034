import { createFairPermits, type Release } from '../base/fair-permits.ts'

/** A shorter encoding ends its turn at once. */
const shortMsMax = 1

/** A reply that has waited as long is encoded without a turn: its effect has happened. */
const waitMsMax = 1_000

const limits = { permitsMax: 1, perSubjectMax: 1, waitingMax: 1_024, waitMsMax }

/**
 * **What it does.** Divides the time in which a process encodes replies. To check and encode a large one holds the
 * event loop for milliseconds, and each step of every other request waits meanwhile.
 *
 * **Guarantees.** After an encoding of more than a millisecond, the event loop turns once before the next one: other
 * requests continue. Tenants take turns; callers without a tenant are one of them.
 *
 * **Not guaranteed.** A turn for each reply: none is rejected. Across replicas.
 */
export interface ReplyTurns {
  /** Calls `encode` in a turn. */
  run(tenantId: string, encode: () => void): Promise<void>
}

export function createReplyTurns(): ReplyTurns {
  const withoutTurn = new Error('no turn in time')
  const permits = createFairPermits({ ...limits, rejectionOf: () => withoutTurn })
  return {
    run: async (tenantId, encode) => {
      const release = permits.tryAcquire(tenantId) ?? (await permits.acquire(tenantId).catch((): Release => () => {}))
      const startedAt = performance.now()
      try {
        encode()
      } finally {
        if (performance.now() - startedAt > shortMsMax) setImmediate(release)
        else release()
      }
    },
  }
}

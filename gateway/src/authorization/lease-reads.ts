import { ageMs, type Clock, type Instant, now } from './clock.ts'

interface LeaseReadsOptions {
  /** Sends a read. The function that it resolves with applies the reply. */
  readonly send: () => Promise<() => void>
  readonly isValid: () => boolean
  readonly intervalMs: () => number
  readonly clock: Clock
}

export const readsInProgressMax = 4

interface Waiter {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface Read {
  readonly number: number
  readonly sentAt: Instant
  /** The requests that arrived before this read was sent, and after the one before. */
  waiters: readonly Waiter[]
}

/**
 * **What it does.** Sends the reads of one lease, and resolves the requests that wait for them. While requests need the
 * lease, a read is sent each `intervalMs`, also while earlier ones are in progress. So no request waits for two reads
 * in a row.
 *
 * **Guarantees.** At most four reads are in progress. Replies are applied in the order in which their reads were sent:
 * a reply that arrives after a later one was applied is dropped. A request waits until the lease is valid, or until
 * a read that was sent after its arrival was applied. A failed read rejects the requests for which it was sent only.
 */
export function createLeaseReads({ send, isValid, intervalMs, clock }: LeaseReadsOptions) {
  const inProgress = new Set<Read>()
  /** The requests that arrived after the newest read was sent. */
  let arrived: Waiter[] = []
  let newest: Read | undefined
  let applied = 0
  let isTimerSet = false

  const dueInMs = () => (inProgress.size === 0 || newest === undefined ? 0 : intervalMs() - ageMs(newest.sentAt, clock))
  const start = () => {
    const read: Read = { number: (newest?.number ?? 0) + 1, sentAt: now(clock), waiters: arrived }
    arrived = []
    newest = read
    inProgress.add(read)
    send().then(
      (apply) => {
        inProgress.delete(read)
        if (read.number > applied) {
          applied = read.number
          apply()
        }
        resolveSatisfied(read)
        startIfNeeded()
      },
      (error: unknown) => {
        inProgress.delete(read)
        for (const { reject } of read.waiters) reject(error)
        startIfNeeded()
      },
    )
  }
  const resolveSatisfied = (ended: Read) => {
    const isLeaseValid = isValid()
    for (const read of [ended, ...inProgress]) {
      if (!isLeaseValid && read.number > applied) continue
      for (const { resolve } of read.waiters) resolve()
      read.waiters = []
    }
    if (!isLeaseValid) return
    for (const { resolve } of arrived) resolve()
    arrived = []
  }
  const startIfNeeded = () => {
    if (arrived.length === 0 || inProgress.size >= readsInProgressMax) return
    const delayMs = dueInMs()
    if (delayMs <= 0) return start()
    if (isTimerSet) return
    isTimerSet = true
    clock.after(Math.max(1, Math.ceil(delayMs)), () => {
      isTimerSet = false
      startIfNeeded()
    })
  }
  return {
    /** Resolves when the lease is valid, or when a read was applied that was sent after this call. */
    untilValid: () =>
      new Promise<void>((resolve, reject) => {
        arrived.push({ resolve, reject })
        startIfNeeded()
      }),
    /** Sends a read, unless one was sent less than `intervalMs` ago and is in progress. */
    renew(): void {
      if (inProgress.size < readsInProgressMax && dueInMs() <= 0) start()
    },
  }
}

import type { AuthorizationVersionReply } from '@payments/contracts/endpoints/authorization-version'
import { createLease } from '../src/authorization/lease.ts'

/** A lease whose clocks the test moves, and whose reads get their responses from the test, in order. */
export function controlReads() {
  const reads: (number | undefined)[] = []
  const pending = new Map<number, (response: AuthorizationVersionReply | Error) => void>()
  const invalidated: string[] = []
  const time = { monotonicMs: 1_000, wallMs: 5_000 }
  let timers: { readonly at: number; readonly step: () => void }[] = []
  const lease = createLease({
    source: 'rbac',
    clock: {
      monotonicMs: () => time.monotonicMs,
      wallMs: () => time.wallMs,
      after: (delayMs, step) => void timers.push({ at: time.monotonicMs + delayMs, step }),
    },
    readVersion: (since) =>
      new Promise((resolve, reject) => {
        pending.set(reads.length, (response) => (response instanceof Error ? reject(response) : resolve(response)))
        reads.push(since)
      }),
    invalidateAll: () => void invalidated.push('everything'),
    invalidate: { key: (id) => void invalidated.push(id) },
  })
  const settled: string[] = []
  const round = () => new Promise((resolve) => setImmediate(resolve))
  return {
    reads,
    invalidated,
    settled,
    time,
    version: lease.version,
    pass: (ms: number) => {
      time.monotonicMs += ms
      time.wallMs += ms
      const due = timers.filter(({ at }) => at <= time.monotonicMs)
      timers = timers.filter(({ at }) => at > time.monotonicMs)
      for (const { step } of due) step()
    },
    /** Calls `acquire`. Resolves when every promise that needs no response has settled. */
    acquire: async (name: string) => {
      lease.acquire().then(
        () => settled.push(name),
        () => settled.push(`not ${name}`),
      )
      await round()
    },
    /** Responds to the read with this number, by default to the first that is pending. */
    respond: async (response: AuthorizationVersionReply | Error, number = Math.min(...pending.keys())) => {
      const respondTo = pending.get(number)
      if (respondTo === undefined) throw new Error('this read is not pending')
      pending.delete(number)
      respondTo(response)
      await round()
    },
  }
}

export const durationMs = 50

export const grantVersion = (epoch: number, ...ids: string[]): AuthorizationVersionReply => ({
  incarnation: 'one',
  epoch,
  invalidated: ids.map((id) => ({ kind: 'key', id })),
  lease_ms: durationMs,
})
export const withoutLease = (epoch: number, ...ids: string[]): AuthorizationVersionReply => ({
  ...grantVersion(epoch, ...ids),
  lease_ms: 0,
})

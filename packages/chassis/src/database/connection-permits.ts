import { performance } from 'node:perf_hooks'
import { createFairPermits, type FairPermits } from '../base/fair-permits.ts'
import { allTenants } from './scope.ts'

/** No connection became free in time. The transaction has not started. */
export class NoConnection extends Error {
  override readonly name = 'NoConnection'
}

const waitingMax = 2_000

/** Above it, more transactions at once end no earlier: each waits for the event loop. */
const busyLoad = 0.7
/** Of each tenant while the event loop is busy. */
const busyMax = 2
/** How long a tenant counts after a transaction. */
const presentMs = 1_000

/**
 * Divides the connections of a pool among tenants (docs/decisions/0028). One tenant uses three quarters of the
 * connections at most, one of its credentials half of these: many of them may wait for one lock of the tenant.
 * Transactions over all tenants take turns with the tenants, and all of them together use three quarters at most too.
 *
 * While the event loop is busy, and at least two tenants use the service, each of them has `busyMax` connections: each
 * step of a tenant waits for the steps that are due of all others.
 */
export function createConnectionPermits(
  connectionsMax: number,
  waitMsMax: number,
  loopLoad: () => number = createLoopLoad(),
): FairPermits {
  const shareMax = Math.max(1, Math.ceil(connectionsMax * 0.75))
  const perMemberMax = Math.max(1, Math.ceil(shareMax / 2))
  const tenants = presentTenants()
  const permits = createFairPermits({
    permitsMax: connectionsMax,
    perSubjectMax: (subject) =>
      subject !== allTenants && tenants.areSeveral() && loopLoad() > busyLoad ? Math.min(busyMax, shareMax) : shareMax,
    perMemberMax,
    waitingMax,
    waitMsMax,
    createRejection: (limit) => new NoConnection(shareTexts[limit]),
  })
  return {
    tryAcquire: (subject, member) => {
      tenants.note(subject)
      return permits.tryAcquire(subject, member)
    },
    acquire: (subject, options) => permits.acquire(subject, options),
    run: (subject, work, member) => permits.run(subject, work, member),
    counts: () => permits.counts(),
    held: () => permits.held(),
  }
}

const shareTexts = {
  member: 'the credential uses its share of the connections',
  subject: 'the tenant uses its share of the connections',
  total: 'every connection is in use',
}

/** The tenants that used the service lately: the last one, and when another one did. */
function presentTenants() {
  let last = ''
  let otherAt = Number.NEGATIVE_INFINITY
  return {
    note: (subject: string) => {
      if (subject === allTenants) return
      if (last !== '' && subject !== last) otherAt = performance.now()
      last = subject
    },
    areSeveral: () => performance.now() - otherAt < presentMs,
  }
}

const loadIntervalMs = 100

/** The share of the time in which the event loop of this thread was lately busy, from 0 to 1, as a function. */
function createLoopLoad(): () => number {
  let [before, readAt, utilization] = [performance.eventLoopUtilization(), performance.now(), 0]
  return () => {
    if (performance.now() - readAt < loadIntervalMs) return utilization
    const now = performance.eventLoopUtilization()
    utilization = performance.eventLoopUtilization(now, before).utilization
    before = now
    readAt = performance.now()
    return utilization
  }
}

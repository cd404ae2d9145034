import { type Contention, createContention } from '../base/contention.ts'
import { createFairPermits, type FairPermits } from '../base/fair-permits.ts'
import { allTenants } from './scope.ts'

/** No connection became free in time. The transaction has not started. */
export class NoConnection extends Error {
  override readonly name = 'NoConnection'
}

const waitingMax = 2_000

/** Of each tenant while the event loop is busy. */
const busyMax = 2

/**
 * Divides the connections of a pool among tenants (docs/decisions/0182). One tenant uses three quarters of the
 * connections at most. Transactions over all tenants take turns with the tenants, and all of them together use three
 * quarters at most too.
 *
 * While tenants contend for the event loop, each of them has `busyMax` connections: each step of a tenant waits for the
 * steps that are due of all others.
 */
export function createConnectionPermits(
  connectionsMax: number,
  waitMsMax: number,
  contention: Contention = createContention(),
): FairPermits {
  const shareMax = Math.max(1, Math.ceil(connectionsMax * 0.75))
  const permits = createFairPermits({
    permitsMax: connectionsMax,
    perSubjectMax: (subject) =>
      subject !== allTenants && contention.isPresent() ? Math.min(busyMax, shareMax) : shareMax,
    waitingMax,
    waitMsMax,
    rejectionOf: (limit) =>
      new NoConnection(
        limit === 'subject' ? 'the tenant uses its share of the connections' : 'every connection is in use',
      ),
  })
  return {
    tryAcquire: (subject) => {
      if (subject !== allTenants) contention.note(subject)
      return permits.tryAcquire(subject)
    },
    acquire: (subject, signal) => permits.acquire(subject, signal),
    run: (subject, work) => permits.run(subject, work),
    counts: () => permits.counts(),
  }
}

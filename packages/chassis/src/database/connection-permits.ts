import { createFairPermits, type FairPermits } from '../base/fair-permits.ts'

/** No connection became free in time. The transaction has not started. */
export class NoConnection extends Error {
  override readonly name = 'NoConnection'
}

const waitingMax = 2_000

/**
 * Divides the connections of a pool among tenants (docs/decisions/0182). One tenant uses three quarters of the
 * connections at most. Transactions over all tenants take turns with the tenants, and all of them together use three
 * quarters at most too.
 */
export function createConnectionPermits(connectionsMax: number, waitMsMax: number): FairPermits {
  return createFairPermits({
    permitsMax: connectionsMax,
    perSubjectMax: Math.max(1, Math.ceil(connectionsMax * 0.75)),
    waitingMax,
    waitMsMax,
    rejectionOf: (limit) =>
      new NoConnection(
        limit === 'subject' ? 'the tenant uses its share of the connections' : 'every connection is in use',
      ),
  })
}

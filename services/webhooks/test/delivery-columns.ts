import type { Delivery } from '@payments/contracts/services/webhooks/delivery'

const hourMs = 3_600_000

/** The columns of a delivery in a status, as the CHECK constraints require. The sweeper acts on it in an hour. */
export function expectedColumns(status: Delivery['status']) {
  const isSwept = status === 'pending' || status === 'retrying' || status === 'delivering'
  return {
    status,
    backlogged: status === 'held',
    published: false,
    sweepAt: isSwept ? new Date(Date.now() + hourMs) : null,
    nextAttemptAt: null,
    deadAt: status === 'dead' ? new Date() : null,
  }
}

import { newId } from '@payments/chassis/base/id'
import type { Deps } from '../deps.ts'
import { planRelease } from '../domain/action.ts'
import { accessBooksWithin, changeBooks, requireFound } from '../operation/books.ts'
import { instructProvider } from '../operation/execute.ts'
import { type LeasedOperation, startOperation } from '../operation/start.ts'
import type { WorkPermits } from '../operation/work-permits.ts'
import { lockExpired } from '../store/transactions.ts'

/**
 * Voids the rest of expired authorizations, as far as `permits` allows, and does not wait for the providers. After an
 * error, the lease expires and resume-loop.ts resumes the void. Returns the number of transactions.
 */
export async function releaseExpiredAuthorizations(deps: Deps, permits: WorkPermits): Promise<number> {
  let count = 0
  while (permits.hasFree()) {
    const started = await startRelease(deps, permits.busyTenants())
    if (started === null) break
    count += 1
    permits.start(started.operation.tenantId, async () => {
      await instructProvider(deps, started, { kind: 'execute', paymentDetails: null })
    })
  }
  return count
}

function startRelease(deps: Deps, exceptTenants: readonly string[]): Promise<LeasedOperation | null> {
  const now = deps.now()
  return deps.db.acrossTenants(async (tx) => {
    const expired = await lockExpired(tx, now, exceptTenants)
    if (expired === null) return null
    const { id, tenantId } = expired
    const access = accessBooksWithin(tx, tenantId)
    const started = await changeBooks(deps, access, { transactionId: id }, (books) => {
      const found = requireFound(books)
      const initiator = { id: newId(), traceId: newId(), actor: 'platform' }
      const leased = startOperation(found, { ...planRelease(found.aggregate, now), ...initiator }, now)
      return { leased, change: { before: found.aggregate, after: leased.aggregate } }
    })
    return started?.leased ?? null
  })
}

import { createFairPermits, limitProblem } from '@payments/chassis/base/fair-permits'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/audit/contract'
import { type Database, isCanceled, limitStatements, type Tx } from '../store/database.ts'

/**
 * **What it does.** Runs reads of records by a filter that no index has. Such a read may pass every record of its
 * tenant.
 *
 * **Guarantees.** A read ends within `msMax`. A tenant has two of six reads in progress, a credential one of them.
 * More wait: tenants take turns, and so do the credentials of each. So the searches of tenants leave connections to
 * every other read.
 *
 * **Not guaranteed.** Across replicas.
 */
export interface Searches {
  /** Throws audit_search_too_long after `msMax`, and rate_limited or service_unavailable without a permit. */
  run<R>(tenantId: string, read: (tx: Tx) => Promise<R>): Promise<R>
}

const limitsDefault = {
  msMax: 2_000,
  permitsMax: 6,
  perSubjectMax: 2,
  perMemberMax: 1,
  waitingMax: 40,
  waitMsMax: 5_000,
}

export function createSearches(db: Database, limits: Partial<typeof limitsDefault> = {}): Searches {
  const { msMax, ...permitLimits } = { ...limitsDefault, ...limits }
  const permits = createFairPermits({
    ...permitLimits,
    createRejection: limitProblem('Too many searches of audit records are in progress'),
  })
  const runLimited = async <R>(tenantId: string, read: (tx: Tx) => Promise<R>): Promise<R> => {
    try {
      return await db.inTenant(tenantId, async (tx) => {
        await limitStatements(tx, msMax)
        return read(tx)
      })
    } catch (error) {
      throw isCanceled(error) ? new Problem(problems.audit_search_too_long) : error
    }
  }
  return { run: (tenantId, read) => permits.run(tenantId, () => runLimited(tenantId, read)) }
}

import { newId } from '@payments/chassis/id'
import type { Deps } from '../deps.ts'
import { planVoid } from '../domain/action.ts'
import { authorizationExpired } from '../domain/operation.ts'
import { executeOperation } from '../operation/execute.ts'
import { startOperation } from '../operation/start.ts'
import { lockAggregate } from '../store/transaction-aggregates.ts'
import { claimExpired } from '../store/transactions.ts'

const batchMax = 10
/** Delay after a declined or unsent release. */
const retryAfterMs = 60 * 60 * 1000
/** A provider that has released an expired authorization may decline its void for ever. */
const declinesMax = 10

/** Voids the rest of expired authorizations. Returns the number of transactions. */
export async function releaseExpiredAuthorizations(deps: Deps): Promise<number> {
  const now = deps.now()
  const triedSince = new Date(now.getTime() - retryAfterMs)
  const operations = await deps.db.acrossTenants(async (tx) => {
    const expired = await claimExpired(tx, {
      now,
      triedSince,
      declinesMax,
      reason: authorizationExpired,
      limit: batchMax,
    })
    const started = []
    for (const { id, tenantId } of expired) {
      const aggregate = await lockAggregate(tx, tenantId, id)
      if (aggregate === null) throw new Error(`transaction ${id} does not exist`)
      const plan = planVoid(aggregate, authorizationExpired, now)
      started.push(await startOperation(tx, deps, aggregate, { ...plan, id: newId(), traceId: newId() }))
    }
    return started
  })
  // After an error, the lease expires and `resumeOpenOperations` resumes the operation.
  const instruction = { kind: 'execute', paymentDetails: null } as const
  await Promise.all(operations.map((operation) => executeOperation(deps, operation, instruction)))
  return operations.length
}

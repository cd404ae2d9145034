import { newId } from '@payments/chassis/id'
import type { Deps } from '../deps.ts'
import { planVoid } from '../domain/action.ts'
import { expiryReason } from '../domain/operation.ts'
import { startOperation } from '../operation/begin.ts'
import { carryOut } from '../operation/carry-out.ts'
import { lockAccount } from '../store/accounts.ts'
import { claimExpired } from '../store/transactions.ts'

const batchMax = 10
/** A release that the provider refused, or that never reached it, is tried again this much later. */
const triedAgainAfterMs = 60 * 60 * 1000

/** Voids what is left of authorizations past their time. Returns how many it took. */
export async function releaseExpiredAuthorizations(deps: Deps): Promise<number> {
  const now = deps.now()
  const triedSince = new Date(now.getTime() - triedAgainAfterMs)
  const begun = await deps.db.acrossTenants(async (tx) => {
    const expired = await claimExpired(tx, { now, triedSince, reason: expiryReason, limit: batchMax })
    const started = []
    for (const { id, tenantId } of expired) {
      const account = await lockAccount(tx, tenantId, id)
      if (account === null) throw new Error(`transaction ${id} has vanished`)
      const plan = planVoid(account, expiryReason)
      started.push(await startOperation(tx, deps, account, { ...plan, id: newId(), traceId: newId() }))
    }
    return started
  })
  // One that fails keeps its lease, and is settled like any other operation when that has run out.
  await Promise.all(begun.map((one) => carryOut(deps, one, { do: 'follow_up' })))
  return begun.length
}

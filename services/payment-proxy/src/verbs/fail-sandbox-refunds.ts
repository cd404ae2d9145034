import { newId } from '@payments/chassis/base/id'
import type { Turns } from '@payments/chassis/database/turns'
import { failedLater, outcomeOf } from '../connectors/sandbox.ts'
import type { Deps } from '../deps.ts'
import { insertProviderEvent } from '../store/provider-events.ts'
import { readLocked, updateSandboxOperation } from '../store/sandbox-operations.ts'

const batch = { limit: 50, perTenantMax: 10 }

/**
 * The sandbox fails refunds that succeeded, in turn among the tenants, and reports each like a provider webhook.
 * Returns their number.
 */
export function failSandboxRefunds(deps: Pick<Deps, 'db' | 'now'>, turns: Turns): Promise<number> {
  const now = deps.now()
  return deps.db.acrossTenants(async (tx) => {
    const { ids } = await turns.lockDue(tx, now, batch)
    const rows = await readLocked(tx, ids)
    for (const row of rows) {
      const { id: operationId, tenantId, paymentOrchestratorId } = row
      const failed = failedLater(row)
      await updateSandboxOperation(tx, tenantId, failed)
      const outcome = outcomeOf(failed, undefined)
      if (outcome.kind !== 'declined') throw new Error(`the refund ${operationId} did not fail`)
      const { providerReference } = outcome
      const event = { eventId: `evt_${operationId}`, operationId, providerReference, outcome }
      const waiting = { receivedAt: now, appliedAt: null, attemptCount: 0, dueAt: now }
      await insertProviderEvent(tx, tenantId, { ...event, id: newId(), tenantId, paymentOrchestratorId, ...waiting })
    }
    return rows.length
  })
}

import type { Turns } from '@payments/chassis/database/turns'
import { failRefund } from '../connectors/sandbox.ts'
import { toOutcome } from '../connectors/sandbox-outcome.ts'
import type { Deps } from '../deps.ts'
import { reportSandboxOutcome } from '../operation/sandbox-report.ts'
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
      const failed = failRefund(row)
      await updateSandboxOperation(tx, row.tenantId, failed)
      const outcome = toOutcome(failed, undefined, { ownOrigin: '' })
      if (outcome.kind !== 'declined') throw new Error(`the refund ${row.id} did not fail`)
      await reportSandboxOutcome(tx, failed, outcome, { receivedAt: now, dueAt: now })
    }
    return rows.length
  })
}

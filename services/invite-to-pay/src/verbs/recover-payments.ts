import { inRounds } from '../code/rounds.ts'
import type { Deps } from '../deps.ts'
import type { CodeFacts } from '../domain/code.ts'
import { recoveryDelayMs } from '../domain/code-state.ts'
import { readTransaction, recordOutcome } from '../payment/execute.ts'
import { claimUnrecorded, postponeRecovery } from '../store/due-codes.ts'

const bounds = { batchSize: 20, batchesMax: 20 }
/** Longer than a batch of reads that all time out. */
const leaseMs = 60_000

type RecoveryDeps = Pick<Deps, 'db' | 'paymentProxy' | 'sending' | 'log'>

/**
 * Reads the transactions of payments whose outcome was not recorded, and records what became of them, in batches, up to
 * a limit per run. A payment without an operation is released: after 30 s it starts no more. The transaction
 * of a code that was created after it is read too, once. A code whose transaction cannot be read is due again after the
 * lease. A run ends after a batch of which payment-proxy read nothing.
 */
export async function recoverPayments(deps: RecoveryDeps): Promise<void> {
  let isAvailable = true
  await inRounds(bounds, async (batch) => {
    if (!isAvailable) return []
    const due = await deps.db.acrossTenants((tx) => claimUnrecorded(tx, batch, leaseMs))
    let readCount = 0
    for (const code of due) readCount += (await recover(deps, code)) ? 1 : 0
    isAvailable = due.length === 0 || readCount > 0
    return due
  })
}

/** False when the transaction cannot be read. */
async function recover(deps: RecoveryDeps, code: CodeFacts): Promise<boolean> {
  const transaction = await readTransaction(deps, code, code.traceId)
  if (transaction === null) return false
  const hasEnded = await recordOutcome(deps, code, { transaction, isComplete: true }, code.traceId)
  if (hasEnded) return true
  const delayMs = recoveryDelayMs(code.recoverCount)
  await deps.db.inTenant(code.tenantId, (tx) => postponeRecovery(tx, code.tenantId, code, delayMs))
  return true
}

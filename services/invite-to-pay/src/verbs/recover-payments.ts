import type { Deps } from '../deps.ts'
import type { CodeFacts } from '../domain/code.ts'
import { recoveryDelayMs } from '../domain/retry-schedule.ts'
import { factsOf } from '../domain/settle.ts'
import { readTransaction, recordOutcome } from '../payment/execute.ts'
import { claimUnrecorded, postponeRecovery } from '../store/due-codes.ts'

const batchSize = 20
const batchesMax = 20
/** Longer than a batch of reads that all time out. */
const leaseMs = 60_000

type RecoveryDeps = Pick<Deps, 'db' | 'paymentProxy' | 'sending' | 'log'>

/**
 * Reads the transactions of payments whose outcome was not recorded, and records what became of them, in batches, up to
 * a limit per run. A payment without an operation is released: 30 s after its claim it starts no more. The transaction
 * of a code that was created after it is read too, once. While payment-proxy is not available, a run ends after its
 * batch, and the code is due again after the lease.
 */
export async function recoverPayments(deps: RecoveryDeps): Promise<void> {
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const due = await deps.db.acrossTenants((tx) => claimUnrecorded(tx, { limit: batchSize, leaseMs }))
    let readCount = 0
    for (const code of due) readCount += (await recover(deps, code)) ? 1 : 0
    if (readCount < batchSize) return
  }
}

/** False while payment-proxy is not available. */
async function recover(deps: RecoveryDeps, code: CodeFacts): Promise<boolean> {
  const transaction = await readTransaction(deps, code, code.traceId)
  if (transaction === null) return false
  const hasEnded = await recordOutcome(deps, code, { facts: factsOf(transaction, true) }, code.traceId)
  if (hasEnded) return true
  const delayMs = recoveryDelayMs(code.recoverCount)
  await deps.db.inTenant(code.tenantId, (tx) => postponeRecovery(tx, code.tenantId, code, delayMs))
  return true
}

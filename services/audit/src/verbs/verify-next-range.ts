import type { Finding } from '@payments/contracts/services/audit/contract'
import type { Deps } from '../deps.ts'
import { findChain } from '../store/chains.ts'
import type { Tx } from '../store/database.ts'
import { findSeal } from '../store/seals.ts'
import * as verifications from '../store/verifications.ts'
import { verifyRange } from '../verification/verify-range.ts'

const leaseMs = 5 * 60_000
const intervalMs = 24 * 60 * 60_000
const chainsMax = 100

interface VerifiedRange {
  readonly tenantId: string
  readonly findings: readonly Finding[]
}

/**
 * Verifies the next range of the chain that has waited longest, so each chain has its turn, and each is verified once a
 * day at most. Returns undefined when no range is due.
 *
 * Not guaranteed: the stored result. An owner of the database can change it, so `payctl audit verify` is the proof.
 */
export async function verifyNextRange(deps: Deps): Promise<VerifiedRange | undefined> {
  const now = deps.now()
  const claimed = await deps.db.acrossTenants(async (tx) => {
    await verifications.addChains(tx, now, chainsMax)
    return verifications.claim(tx, now, new Date(now.getTime() + leaseMs))
  })
  if (claimed === undefined) return undefined
  const { tenantId } = claimed
  const work = (tx: Tx) => verify(tx, deps, claimed)
  return { tenantId, findings: await deps.db.inTenant(tenantId, work, { isolationLevel: 'RepeatableRead' }) }
}

async function verify(
  tx: Tx,
  deps: Deps,
  { tenantId, sequence, findings: earlier }: verifications.VerificationRow,
): Promise<Finding[]> {
  const chain = await findChain(tx, tenantId)
  const isGone = chain === null || (sequence > 0n && (await findSeal(tx, tenantId, sequence)) === null)
  const { findings, next_after_sequence: next } = isGone
    ? reportRemovedSeal(Number(sequence))
    : await verifyRange(tx, deps, tenantId, Number(sequence))
  const now = deps.now()
  const sum = earlier + findings.length
  if (next !== null) {
    await verifications.update(tx, tenantId, { sequence: BigInt(next), findings: sum, dueAt: now })
    return findings
  }
  await verifications.update(tx, tenantId, {
    sequence: 0n,
    findings: 0,
    dueAt: new Date(now.getTime() + intervalMs),
    verifiedAt: now,
    verifiedPosition: chain?.sealedPosition ?? 0n,
    verifiedFindings: sum,
  })
  return findings
}

function reportRemovedSeal(sequence: number): { findings: Finding[]; next_after_sequence: null } {
  const detail = `seal ${sequence}, which was verified before, does not exist`
  return { findings: [{ sequence, kind: 'seal_removed', detail }], next_after_sequence: null }
}

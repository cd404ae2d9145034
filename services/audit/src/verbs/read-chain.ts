import type { Caller } from '@payments/chassis/base/caller'
import type { Chain } from '@payments/contracts/services/audit/chain'
import type { Deps } from '../deps.ts'
import { findChain } from '../store/chains.ts'
import { findSeal } from '../store/seals.ts'
import * as verifications from '../store/verifications.ts'

/** The state of the chain of the calling tenant; without records, an empty one. */
export function readChain(deps: Deps, caller: Caller): Promise<Chain> {
  const { tenantId } = caller
  return deps.db.inTenant(tenantId, async (tx) => {
    const chain = await findChain(tx, tenantId)
    const seal = chain === null ? null : await findSeal(tx, tenantId, chain.sealedSequence)
    const verification = await verifications.find(tx, tenantId)
    return {
      record_count: Number(chain?.headPosition ?? 0),
      sealed_count: Number(chain?.sealedPosition ?? 0),
      sealed_at: seal?.sealedAt.toISOString() ?? null,
      last_verified_at: verification?.verifiedAt?.toISOString() ?? null,
      last_verified_count:
        verification === null || verification.verifiedPosition === null ? null : Number(verification.verifiedPosition),
      last_verification_findings: verification?.verifiedFindings ?? null,
    }
  })
}

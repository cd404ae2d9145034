import type { Seal } from '@payments/contracts/services/audit/contract'
import { toTenantId } from './chain.ts'

export interface SealFacts {
  readonly version: number
  readonly keyId: string
  readonly tenantId: string
  readonly sequence: bigint
  readonly fromPosition: bigint
  readonly toPosition: bigint
  readonly storedOn: Date
  readonly digest: string
  readonly previousHash: string
  readonly hash: string
  readonly sealedAt: Date
}

export function presentSeal(row: SealFacts): Seal {
  return {
    version: row.version,
    key_id: row.keyId,
    tenant_id: toTenantId(row.tenantId),
    sequence: Number(row.sequence),
    from_position: Number(row.fromPosition),
    to_position: Number(row.toPosition),
    stored_on: formatDay(row.storedOn),
    digest: row.digest,
    previous_hash: row.previousHash,
    hash: row.hash,
    sealed_at: row.sealedAt.toISOString(),
  }
}

/** The day of an instant in UTC, `2026-01-31`. */
export function formatDay(instant: Date): string {
  return instant.toISOString().slice(0, 10)
}

/** The first day of the retention period: records of earlier days may have been purged. */
export function firstRetainedDay(now: Date, retentionDays: number): string {
  return formatDay(new Date(now.getTime() - retentionDays * 24 * 60 * 60 * 1000))
}

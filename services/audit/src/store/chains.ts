import { tryLockForTransaction } from '@payments/chassis/database/advisory-lock'
import type { Statement } from '@payments/chassis/database/statement'
import type { SqlTx } from '@payments/chassis/database/transaction'
import { nextDueAt } from '@payments/chassis/database/waiting-tenants'
import sql from 'sql-template-tag'
import type { Tx } from './database.ts'

export interface ChainHead {
  readonly tenantId: string
  readonly headPosition: bigint
  readonly sealedPosition: bigint
  readonly sealedSequence: bigint
}

/**
 * Creates missing chains of these tenants and locks all of them until the end of the transaction. Both happen in the
 * order of the tenant ids, so that no deadlock occurs.
 */
export function lockChains(tenantIds: readonly string[]): readonly Statement[] {
  const sorted = [...tenantIds].sort()
  return [
    sql`
      INSERT INTO audit_chains (tenant_id) SELECT unnest(${sorted}::uuid[]) ORDER BY 1 ON CONFLICT DO NOTHING`,
    sql`SELECT FROM audit_chains WHERE tenant_id = ANY(${sorted}::uuid[]) ORDER BY tenant_id FOR UPDATE`,
  ]
}

export async function findChain(tx: Tx, tenantId: string): Promise<ChainHead | null> {
  return tx.auditChain.findFirst({ where: { tenantId } })
}

/** At most `chainsMax` chains with records that are not sealed, by tenant, after `after`. */
export async function findUnsealedChains(
  tx: Tx,
  { after, chainsMax }: { readonly after: string | null; readonly chainsMax: number },
): Promise<string[]> {
  const rows = await tx.$queryRaw<{ tenantId: string }[]>`
    SELECT tenant_id::text AS "tenantId" FROM audit_chains
    WHERE head_position > sealed_position AND (${after}::uuid IS NULL OR tenant_id > ${after}::uuid)
    ORDER BY tenant_id LIMIT ${chainsMax}`
  return rows.map(({ tenantId }) => tenantId)
}

/** Whether a chain has records that are not sealed (`nextDueAt`). */
export const nextSealing = (sql: SqlTx): Promise<number | null> =>
  nextDueAt(sql, `(SELECT 'epoch'::timestamptz FROM audit_chains WHERE head_position > sealed_position LIMIT 1)`)

/** Locks sealing until the end of the transaction. Returns false while another process seals. */
export function tryLockSealing(tx: Tx): Promise<boolean> {
  return tryLockForTransaction(tx, 'audit.sealer')
}

export async function advanceSealed(tx: Tx, tenantId: string, position: bigint, sequence: bigint): Promise<void> {
  await tx.auditChain.update({
    where: { tenantId },
    data: { sealedPosition: position, sealedSequence: sequence },
  })
}

import { tryLockForTransaction } from '@payments/chassis/database/advisory-lock'
import type { SqlTx } from '@payments/chassis/database/transaction'
import { nextDueAt } from '@payments/chassis/database/waiting-tenants'
import type { Tx } from './database.ts'

export interface ChainHead {
  readonly tenantId: string
  readonly headPosition: bigint
  readonly sealedPosition: bigint
  readonly sealedSequence: bigint
}

/** Locks the chains of these tenants and creates missing ones, ordered by tenant id, so that no deadlock occurs. */
export async function lockChains(tx: Tx, tenantIds: readonly string[]): Promise<ChainHead[]> {
  const sorted = [...tenantIds].sort()
  await tx.$executeRaw`
    INSERT INTO audit_chains (tenant_id) SELECT unnest(${sorted}::uuid[]) ORDER BY 1 ON CONFLICT DO NOTHING`
  return tx.$queryRaw<ChainHead[]>`
    SELECT tenant_id::text AS "tenantId", head_position AS "headPosition",
           sealed_position AS "sealedPosition", sealed_sequence AS "sealedSequence"
    FROM audit_chains WHERE tenant_id = ANY(${sorted}::uuid[]) ORDER BY tenant_id FOR UPDATE`
}

export async function advanceHeads(tx: Tx, heads: ReadonlyMap<string, number>): Promise<void> {
  await tx.$executeRaw`
    UPDATE audit_chains SET head_position = moved.head
    FROM unnest(${[...heads.keys()]}::uuid[], ${[...heads.values()]}::bigint[]) AS moved (tenant_id, head)
    WHERE audit_chains.tenant_id = moved.tenant_id`
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

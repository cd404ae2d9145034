import type { SandboxOperationModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

/** A row in the ledger of the sandbox. Only the sandbox connector reads and writes it. */
export type SandboxRow = Omit<SandboxOperationModel, 'amount' | 'amountReleased'> & {
  readonly amount: number
  readonly amountReleased: number
}

export async function insertSandboxOperation(tx: Tx, tenantId: string, row: SandboxRow): Promise<void> {
  await tx.sandboxOperation.create({ data: { ...row, tenantId } })
}

export async function findSandboxOperation(tx: Tx, tenantId: string, id: string): Promise<SandboxRow | null> {
  const row = await tx.sandboxOperation.findFirst({ where: { tenantId, id } })
  return row === null ? null : rowOf(row)
}

/** An authorization and its follow-up operations, oldest first. Locks the authorization. */
export async function lockSandboxOperations(tx: Tx, tenantId: string, authorizationId: string): Promise<SandboxRow[]> {
  await tx.$queryRaw`
    SELECT 1 FROM sandbox_operations WHERE tenant_id = ${tenantId}::uuid AND id = ${authorizationId}::uuid FOR UPDATE`
  const rows = await tx.sandboxOperation.findMany({
    where: { tenantId, authorizationId },
    orderBy: { receivedAt: 'asc' },
  })
  return rows.map(rowOf)
}

export async function updateSandboxOperation(
  tx: Tx,
  tenantId: string,
  { id, state, syncCount }: Pick<SandboxRow, 'id' | 'state' | 'syncCount'>,
): Promise<void> {
  await tx.sandboxOperation.updateMany({ where: { tenantId, id }, data: { state, syncCount } })
}

function rowOf(row: SandboxOperationModel): SandboxRow {
  return { ...row, amount: Number(row.amount), amountReleased: Number(row.amountReleased) }
}

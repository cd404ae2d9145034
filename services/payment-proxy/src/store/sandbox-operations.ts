import { purgeRowsMax } from '@payments/chassis/database/purges'
import { searchIds } from '@payments/chassis/database/search-ids'
import type { Searched } from '@payments/contracts/grammar/searched-page'
import sql from 'sql-template-tag'
import { Prisma } from '../generated/client.ts'
import type { SandboxOperationModel } from '../generated/models.ts'
import type { Database, Tx } from './database.ts'

/** A row in the ledger of the sandbox. Only the sandbox writes it. */
export type SandboxRow = Omit<SandboxOperationModel, 'amount' | 'amountReleased'> & {
  readonly amount: number
  readonly amountReleased: number
}

export async function insertSandboxOperation(tx: Tx, tenantId: string, row: SandboxRow): Promise<void> {
  await tx.sandboxOperation.create({ data: { ...row, tenantId } })
}

/** Inserts an authorization in one round trip. False when the sandbox knows its id. */
export async function insertSandboxAuthorization(db: Pick<Database, 'pipelined'>, row: SandboxRow): Promise<boolean> {
  const { id, tenantId, paymentOrchestratorId, authorizationId, state, token, paymentMethod, amount } = row
  const { amountReleased, currency, declineCode, syncCount, receivedAt, respondsAt } = row
  const { challenge, returnUrl, actionExpiresAt } = row
  const statement = sql`
    INSERT INTO sandbox_operations (id, tenant_id, payment_orchestrator_id, authorization_id, type, state, token,
      payment_method, amount, amount_released, currency, decline_code, sync_count, received_at, answered_at,
      challenge, return_url, action_expires_at)
    VALUES (${id}::uuid, ${tenantId}::uuid, ${paymentOrchestratorId}::uuid, ${authorizationId}::uuid, 'authorize',
      ${state}::"SandboxState", ${token}, ${paymentMethod}, ${amount}::bigint, ${amountReleased}::bigint, ${currency},
      ${declineCode}, ${syncCount}::int, ${receivedAt.toISOString()}::timestamptz,
      ${respondsAt.toISOString()}::timestamptz, ${challenge}, ${returnUrl},
      ${actionExpiresAt?.toISOString() ?? null}::timestamptz)
    ON CONFLICT (id) DO NOTHING RETURNING id`
  const [rows = []] = await db.pipelined(tenantId, [statement])
  return rows.length === 1
}

/** Deletes at most `purgeRowsMax` pages to return to where the time to decide ended before. Returns their number. */
export function deleteReturnUrls(tx: Tx, before: Date): Promise<number> {
  return tx.$executeRaw`
    UPDATE sandbox_operations SET return_url = NULL WHERE id = ANY (ARRAY(
      SELECT s.id FROM sandbox_operations AS s WHERE s.return_url IS NOT NULL AND s.action_expires_at < ${before}
      ORDER BY s.action_expires_at LIMIT ${purgeRowsMax} FOR UPDATE SKIP LOCKED))`
}

export async function findSandboxOperation(tx: Tx, tenantId: string, id: string): Promise<SandboxRow | null> {
  const row = await tx.sandboxOperation.findFirst({ where: { tenantId, id } })
  return row && toRow(row)
}

/** The authorization of a link to the bank of the sandbox, of any tenant. */
export async function findByChallenge(tx: Tx, challenge: string): Promise<SandboxRow | null> {
  const row = await tx.sandboxOperation.findFirst({ where: { challenge } })
  return row && toRow(row)
}

/** An authorization and its follow-up operations, oldest first. Locks the authorization. */
export async function lockSandboxOperations(tx: Tx, tenantId: string, authorizationId: string): Promise<SandboxRow[]> {
  await tx.$queryRaw`
    SELECT 1 FROM sandbox_operations WHERE tenant_id = ${tenantId}::uuid AND id = ${authorizationId}::uuid FOR UPDATE`
  const rows = await tx.sandboxOperation.findMany({
    where: { tenantId, authorizationId },
    orderBy: { receivedAt: 'asc' },
  })
  return rows.map(toRow)
}

export async function updateSandboxOperation(
  tx: Tx,
  tenantId: string,
  { id, state, declineCode, syncCount, failsAt, respondsAt }: SandboxRow,
): Promise<void> {
  const data = { state, declineCode, syncCount, failsAt, respondsAt }
  await tx.sandboxOperation.updateMany({ where: { tenantId, id }, data })
}

/** Operations of all tenants that the transaction has locked. */
export async function readLocked(tx: Tx, ids: readonly string[]): Promise<SandboxRow[]> {
  const rows = await tx.sandboxOperation.findMany({ where: { id: { in: [...ids] } } })
  return rows.map(toRow)
}

type ReceivedRow = SandboxRow & { readonly state: Exclude<SandboxRow['state'], 'never_received'> }

/** The operations of a payment orchestrator that the sandbox received in a period, in the order of their ids. */
export async function findReceived(
  tx: Tx,
  tenantId: string,
  paymentOrchestratorId: string,
  { from, to, after, limit }: { from: Date; to: Date; after: string | null; limit: number },
): Promise<ReceivedRow[]> {
  const rows = await tx.sandboxOperation.findMany({
    where: {
      tenantId,
      paymentOrchestratorId,
      receivedAt: { gte: from, lt: to },
      state: { not: 'never_received' },
      ...(after === null ? {} : { id: { gt: after } }),
    },
    orderBy: { id: 'asc' },
    take: limit,
  })
  return rows.map(toRow) as ReceivedRow[]
}

export interface SandboxFilter {
  readonly businessUnitId: string | undefined
  readonly transactionId: string | undefined
  readonly before: string | undefined
  readonly limit: number
}

/** Newest first; one more than `limit`. A transaction has few operations. */
export async function findSandboxOperations(
  tx: Tx,
  tenantId: string,
  filter: SandboxFilter,
): Promise<Searched<SandboxRow, string>> {
  const { businessUnitId, transactionId, before, limit } = filter
  const among: Prisma.Sql[] = []
  if (transactionId !== undefined) {
    const operations = await tx.operation.findMany({ where: { tenantId, transactionId }, select: { id: true } })
    among.push(Prisma.sql`id = ANY(${operations.map(({ id }) => id)}::uuid[])`)
  }
  const where: Prisma.Sql[] = []
  if (businessUnitId !== undefined) {
    where.push(Prisma.sql`EXISTS (
      SELECT 1 FROM operations JOIN transactions ON transactions.id = operations.transaction_id
      WHERE operations.tenant_id = ${tenantId}::uuid AND operations.id = searched.id
        AND transactions.business_unit_id = ${businessUnitId}::uuid)`)
  }
  const search = { table: 'sandbox_operations', among, where, before, limit }
  const { rows: found, searchedTo } = await searchIds(tx, tenantId, search)
  const ids = found.map(({ id }) => id)
  const rows = await tx.sandboxOperation.findMany({ where: { tenantId, id: { in: ids } }, orderBy: { id: 'desc' } })
  return { rows: rows.map(toRow), searchedTo }
}

function toRow(row: SandboxOperationModel): SandboxRow {
  return { ...row, amount: Number(row.amount), amountReleased: Number(row.amountReleased) }
}

import type { ErasedServices, ErasureRequest } from '../domain/payer-erasure.ts'
import type { PayerErasureRequestModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

/** Erasures of payers that operators requested. */

export interface RequestRow extends ErasureRequest {
  /** Null once the erasure is complete. */
  readonly addressHash: Uint8Array | null
}

const toRequest = ({ services, ...row }: PayerErasureRequestModel): RequestRow => ({
  ...row,
  services: services as ErasedServices,
})

export async function insertRequest(
  tx: Tx,
  tenantId: string,
  request: Omit<RequestRow, 'tenantId' | 'completedAt' | 'addressHash'> & {
    readonly addressHash: Uint8Array<ArrayBuffer>
  },
): Promise<RequestRow> {
  const { services, ...columns } = request
  return toRequest(await tx.payerErasureRequest.create({ data: { ...columns, services: [...services], tenantId } }))
}

export async function findRequest(tx: Tx, id: string): Promise<RequestRow | null> {
  const row = await tx.payerErasureRequest.findFirst({ where: { id } })
  return row && toRequest(row)
}

/** Locks the request. Null for an unknown one. */
export async function lockRequest(tx: Tx, tenantId: string, id: string): Promise<RequestRow | null> {
  await tx.$queryRaw`
    SELECT 1 FROM payer_erasure_requests WHERE tenant_id = ${tenantId}::uuid AND id = ${id}::uuid FOR NO KEY UPDATE`
  const row = await tx.payerErasureRequest.findFirst({ where: { tenantId, id } })
  return row && toRequest(row)
}

/** Newest first; one more than `limit`. Without a tenant, of all tenants. */
export async function listRequests(
  tx: Tx,
  tenantId: string | undefined,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<RequestRow[]> {
  const rows = await tx.payerErasureRequest.findMany({
    where: { ...(tenantId === undefined ? {} : { tenantId }), ...(before === undefined ? {} : { id: { lt: before } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
  return rows.map(toRequest)
}

/** A time of completion ends the request, whose hash is deleted. */
export async function recordServices(
  tx: Tx,
  tenantId: string,
  { id, services, completedAt }: Pick<RequestRow, 'id' | 'services' | 'completedAt'>,
): Promise<void> {
  const ended = completedAt === null ? {} : { completedAt, addressHash: null }
  await tx.payerErasureRequest.update({ where: { id, tenantId }, data: { services: [...services], ...ended } })
}

/** When the oldest incomplete erasure was requested. Null: every erasure is complete. */
export async function findOldestIncomplete(tx: Tx): Promise<Date | null> {
  const [row] = await tx.$queryRaw<{ requestedAt: Date }[]>`
    SELECT requested_at AS "requestedAt" FROM payer_erasure_requests
    WHERE completed_at IS NULL ORDER BY requested_at LIMIT 1`
  return row?.requestedAt ?? null
}

/** Deletes at most `rowsMax` requests of more than three years ago that are complete. */
export async function purgeRequests(tx: Tx, rowsMax = 1_000): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM payer_erasure_requests WHERE id = ANY (ARRAY(
      SELECT id FROM payer_erasure_requests
      WHERE requested_at < now() - interval '3 years' AND completed_at IS NOT NULL
      LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED))`
}

import type { ErasingService } from '@payments/contracts/nouns/payer-erasure'
import type { PayerErasureReportModel, PayerErasureRequestModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

export type RequestRow = PayerErasureRequestModel
export type ReportRow = PayerErasureReportModel

export async function insertRequest(
  tx: Tx,
  tenantId: string,
  request: Pick<RequestRow, 'id' | 'requestedBy' | 'reason' | 'eventId' | 'requestedAt' | 'addressHash'>,
): Promise<void> {
  await tx.payerErasureRequest.create({ data: { ...request, tenantId } })
}

/** The event of a repeated request replaces the earlier one. */
export async function replaceEvent(
  tx: Tx,
  tenantId: string,
  { id, eventId }: Pick<RequestRow, 'id' | 'eventId'>,
  newEventId: string,
): Promise<void> {
  await tx.payerErasureRequest.update({ where: { id, tenantId }, data: { eventId: newEventId } })
  await tx.outboxEvent.deleteMany({ where: { tenantId, id: eventId } })
}

export function findRequest(tx: Tx, tenantId: string | undefined, id: string): Promise<RequestRow | null> {
  return tx.payerErasureRequest.findFirst({ where: { id, ...(tenantId === undefined ? {} : { tenantId }) } })
}

/** Locks the request. Null for an unknown one. */
export async function lockRequest(tx: Tx, tenantId: string, id: string): Promise<RequestRow | null> {
  await tx.$queryRaw`
    SELECT 1 FROM payer_erasure_requests WHERE tenant_id = ${tenantId}::uuid AND id = ${id}::uuid FOR NO KEY UPDATE`
  return findRequest(tx, tenantId, id)
}

/** Newest first; one more than `limit`. Without a tenant, those of all tenants. */
export function listRequests(
  tx: Tx,
  tenantId: string | undefined,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<RequestRow[]> {
  return tx.payerErasureRequest.findMany({
    where: { ...(tenantId === undefined ? {} : { tenantId }), ...(before === undefined ? {} : { id: { lt: before } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
}

/** A service has at most one report for each 200 resources of the payer. */
export function listReports(tx: Tx, requests: readonly Pick<RequestRow, 'id' | 'tenantId'>[]): Promise<ReportRow[]> {
  const tenantIds = [...new Set(requests.map(({ tenantId }) => tenantId))]
  const ids = requests.map(({ id }) => id)
  return tx.payerErasureReport.findMany({ where: { tenantId: { in: tenantIds }, erasureId: { in: ids } } })
}

export interface ServiceReport {
  readonly id: string
  readonly erasureId: string
  readonly service: ErasingService
  readonly resources: number
  readonly isLast: boolean
}

/** Does nothing for a report that is stored. */
export async function storeReport(tx: Tx, tenantId: string, report: ServiceReport): Promise<void> {
  const { id, erasureId, service, resources, isLast } = report
  await tx.$executeRaw`
    INSERT INTO payer_erasure_reports (id, tenant_id, erasure_id, service, resources, is_last, reported_at)
    VALUES (${id}::uuid, ${tenantId}::uuid, ${erasureId}::uuid, ${service}, ${resources}, ${isLast}, clock_timestamp())
    ON CONFLICT (id) DO UPDATE SET service = excluded.service, resources = excluded.resources,
      is_last = excluded.is_last, reported_at = coalesce(payer_erasure_reports.reported_at, excluded.reported_at)
      WHERE payer_erasure_reports.tenant_id = excluded.tenant_id`
}

/** Records that webhooks has erased its copies of the resources of a report. */
export async function storeCopiesReport(
  tx: Tx,
  tenantId: string,
  { erasureId, reportId }: { readonly erasureId: string; readonly reportId: string },
): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO payer_erasure_reports (id, tenant_id, erasure_id, copies_at)
    VALUES (${reportId}::uuid, ${tenantId}::uuid, ${erasureId}::uuid, clock_timestamp())
    ON CONFLICT (id) DO UPDATE SET copies_at = coalesce(payer_erasure_reports.copies_at, excluded.copies_at)
      WHERE payer_erasure_reports.tenant_id = excluded.tenant_id`
}

/** When the oldest incomplete erasure was requested. Null: every erasure is complete. */
export async function findOldestIncomplete(tx: Tx): Promise<Date | null> {
  const [row] = await tx.$queryRaw<{ requestedAt: Date }[]>`
    SELECT requested_at AS "requestedAt" FROM payer_erasure_requests
    WHERE completed_at IS NULL ORDER BY requested_at LIMIT 1`
  return row?.requestedAt ?? null
}

/** Ends the request, and deletes its event, which has the address. Does nothing for a complete one. */
export async function completeRequest(
  tx: Tx,
  tenantId: string,
  { id, eventId }: Pick<RequestRow, 'id' | 'eventId'>,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE payer_erasure_requests SET completed_at = clock_timestamp(), address_hash = NULL
    WHERE tenant_id = ${tenantId}::uuid AND id = ${id}::uuid AND completed_at IS NULL`
  await tx.outboxEvent.deleteMany({ where: { tenantId, id: eventId } })
}

/** Deletes at most `rowsMax` requests that were completed more than three years ago, with their reports. */
export async function purgeRequests(tx: Tx, rowsMax = 1_000): Promise<void> {
  await tx.$executeRaw`
    WITH old AS (
      DELETE FROM payer_erasure_requests WHERE id = ANY (ARRAY(
        SELECT id FROM payer_erasure_requests
        WHERE requested_at < now() - interval '3 years' AND completed_at IS NOT NULL
        LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED))
      RETURNING id, tenant_id)
    DELETE FROM payer_erasure_reports AS report USING old
    WHERE report.tenant_id = old.tenant_id AND report.erasure_id = old.id`
}

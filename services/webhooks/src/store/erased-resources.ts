import type { SqlTx as Sql } from '@payments/chassis/database/transaction'
import type { Tx } from './database.ts'

/** Resources of which a service erased the payer, and the copies of their data in events, deliveries and attempts. */

const firstId = '00000000-0000-0000-0000-000000000000'

/** Stores the ids of the resources, so that fan-out stores later events without the payer. */
export async function insertErasedResources(tx: Tx, tenantId: string, ids: readonly string[]): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO erased_resources (id, tenant_id)
    SELECT DISTINCT id, ${tenantId}::uuid FROM unnest(${[...ids]}::uuid[]) AS erased (id) ORDER BY id
    ON CONFLICT (tenant_id, id) DO UPDATE SET erased_at = clock_timestamp()`
}

export interface ResourceOfEvent {
  readonly tenantId: string
  readonly resourceId: string
}

/** The erased ones of these resources, as `<tenant>/<resource>`. */
export async function findErased(sql: Sql, resources: readonly ResourceOfEvent[]): Promise<ReadonlySet<string>> {
  if (resources.length === 0) return new Set()
  const rows = await sql.$queryRawUnsafe<{ name: string }[]>(
    `SELECT one."tenantId" || '/' || one."resourceId" AS name
     FROM jsonb_to_recordset($1::jsonb) AS one("tenantId" uuid, "resourceId" uuid)
     JOIN erased_resources e ON e.tenant_id = one."tenantId" AND e.id = one."resourceId"`,
    JSON.stringify(resources),
  )
  return new Set(rows.map(({ name }) => name))
}

export interface CopiedEvent {
  readonly tenantEventId: string
  readonly occurredAt: Date
  /** JSON text. */
  readonly payload: string
}

/** Locks events about the resources, in the order of their ids, after `after`. */
export function lockEventsOf(
  tx: Tx,
  tenantId: string,
  resourceIds: readonly string[],
  { after, rowsMax }: { readonly after: string | null; readonly rowsMax: number },
): Promise<CopiedEvent[]> {
  return tx.$queryRaw`
    SELECT tenant_event_id::text AS "tenantEventId", occurred_at AS "occurredAt", payload FROM events
    WHERE tenant_id = ${tenantId}::uuid AND resource_id = ANY(${resourceIds}::uuid[])
      AND tenant_event_id > ${after ?? firstId}::uuid
    ORDER BY tenant_event_id LIMIT ${rowsMax} FOR NO KEY UPDATE`
}

/**
 * Replaces the payload of an event, the stored bodies of its deliveries, and deletes the responses to them with their
 * headers: a `Location` may have the address. The id of a delivery begins with the instant of its event.
 */
export async function replaceCopies(
  tx: Tx,
  tenantId: string,
  { tenantEventId, occurredAt, payload }: CopiedEvent,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE events SET payload = ${payload} WHERE tenant_id = ${tenantId}::uuid
      AND tenant_event_id = ${tenantEventId}::uuid AND occurred_at = ${occurredAt} AND payload <> ${payload}`
  const instant = occurredAt.getTime().toString(16).padStart(12, '0')
  const start = `${instant.slice(0, 8)}-${instant.slice(8)}`
  const [first, last] = [`${start}-0000-0000-000000000000`, `${start}-ffff-ffff-ffffffffffff`]
  const deliveries = await tx.$queryRaw<{ id: string }[]>`
    SELECT id::text AS id FROM deliveries
    WHERE tenant_id = ${tenantId}::uuid AND id BETWEEN ${first}::uuid AND ${last}::uuid
      AND tenant_event_id = ${tenantEventId}::uuid ORDER BY id FOR NO KEY UPDATE`
  const ids = deliveries.map(({ id }) => id)
  await tx.$executeRaw`
    UPDATE deliveries SET body = webhooks_body(trace_id, tenant_id, event_type, ${payload}, business_unit_id, tenant_event_id)
    WHERE tenant_id = ${tenantId}::uuid AND id = ANY(${ids}::uuid[]) AND body IS NOT NULL`
  await tx.$executeRaw`
    UPDATE attempts SET response_body = NULL, response_headers = NULL
    WHERE tenant_id = ${tenantId}::uuid AND delivery_id = ANY(${ids}::uuid[])
      AND (response_body IS NOT NULL OR response_headers IS NOT NULL)`
}

/** Deletes at most `rowsMax` resources that were erased more than 90 days ago: no event of them is on its way. */
export async function purgeErasedResources(tx: Tx, rowsMax = 10_000): Promise<number> {
  return tx.$executeRaw`
    DELETE FROM erased_resources WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM erased_resources
      WHERE erased_at < now() - interval '90 days' LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED))`
}

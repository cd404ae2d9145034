import type { PositionedRecord } from '../domain/chain.ts'
import { chainOf } from '../domain/chain.ts'
import type { RecordFilter } from '../domain/record.ts'
import type { AuditRecordModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

export type RecordRow = AuditRecordModel

/** Ids of the given records that are already stored, searched from the day of `storedSince`. */
export async function findKnownIds(
  tx: Tx,
  records: readonly { tenantId: string; id: string }[],
  storedSince: Date,
): Promise<Set<string>> {
  const tenantIds = records.map(({ tenantId }) => tenantId)
  const ids = records.map(({ id }) => id)
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT r.id::text AS id FROM unnest(${tenantIds}::uuid[], ${ids}::uuid[]) AS given (tenant_id, id)
    JOIN audit_records r ON r.tenant_id = given.tenant_id AND r.id = given.id AND r.stored_on >= ${storedSince}::date`
  return new Set(rows.map(({ id }) => id))
}

/** Stores the records under the current day of the database clock. */
export async function insertRecords(tx: Tx, records: readonly PositionedRecord[]): Promise<void> {
  const rows = records.map(({ position, record: { actor, tenant_id, ...fields } }) => ({
    ...fields,
    tenant_id: chainOf(tenant_id),
    position,
    actor_type: actor.type,
    actor_id: actor.id,
  }))
  await tx.$executeRaw`
    INSERT INTO audit_records (stored_on, tenant_id, position, id, occurred_at, trace_id, actor_type, actor_id, method, path,
      operation, permission, outcome, status, code, ip, user_agent, duration_ms, client_gone, count, client)
    SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date, r.*
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r (tenant_id uuid, position bigint, id uuid,
      occurred_at timestamptz, trace_id uuid, actor_type text, actor_id text, method text, path text, operation text,
      permission text, outcome text, status int, code text, ip text, user_agent text, duration_ms float8,
      client_gone boolean, count int, client text)`
}

const dayMs = 24 * 60 * 60 * 1000

/** In the order of the filter; one more than `limit`. */
export function list(tx: Tx, tenantId: string, filter: RecordFilter, limit: number): Promise<RecordRow[]> {
  const { actorType, actorId, operation, pathPrefix, code, status } = filter
  const { clients, outcomes, traceId, occurredAfter, occurredBefore, order, lastSeen } = filter
  return tx.auditRecord.findMany({
    where: {
      tenantId,
      ...(actorType === undefined ? {} : { actorType }),
      ...(actorId === undefined ? {} : { actorId }),
      ...(clients === undefined ? {} : { OR: [{ client: { in: [...clients] } }, ...withoutClient(clients)] }),
      ...(operation === undefined ? {} : { operation }),
      ...(pathPrefix === undefined ? {} : { path: { startsWith: literal(pathPrefix) } }),
      ...(outcomes === undefined ? {} : { outcome: { in: [...outcomes] } }),
      ...(code === undefined ? {} : { code }),
      ...(status === undefined ? {} : { status }),
      ...(traceId === undefined ? {} : { traceId }),
      ...(lastSeen === undefined ? {} : { id: order === 'newest' ? { lt: lastSeen } : { gt: lastSeen } }),
      occurredAt: {
        ...(occurredAfter === undefined ? {} : { gt: occurredAfter }),
        ...(occurredBefore === undefined ? {} : { lt: occurredBefore }),
      },
      // A record is stored after it occurs, with a tolerance of one day between clocks: older partitions are not read.
      ...(occurredAfter === undefined ? {} : { storedOn: { gte: new Date(occurredAfter.getTime() - dayMs) } }),
    },
    orderBy: { id: order === 'newest' ? 'desc' : 'asc' },
    take: limit + 1,
  })
}

const withoutClient = (clients: readonly string[]) => (clients.includes('none') ? [{ client: null }] : [])

/** The text as a pattern of LIKE. Prisma escapes none of it. */
const literal = (text: string) => text.replaceAll(/[\\%_]/g, String.raw`\$&`)

/** At most `rowsMax` records from position `from` to `to`, both included, in the order of their positions. */
export function readRange(
  tx: Tx,
  tenantId: string,
  { from, to, rowsMax }: { from: bigint; to: bigint; rowsMax: number },
): Promise<RecordRow[]> {
  return tx.auditRecord.findMany({
    where: { tenantId, position: { gte: from, lte: to } },
    orderBy: [{ position: 'asc' }, { storedOn: 'asc' }],
    take: rowsMax,
  })
}

/** Positions outside of the chain: before 1, and after `head`. */
export async function findPositionsOutside(tx: Tx, tenantId: string, head: bigint, rowsMax: number): Promise<bigint[]> {
  const rows = await tx.auditRecord.findMany({
    where: { tenantId, OR: [{ position: { lt: 1 } }, { position: { gt: head } }] },
    select: { position: true },
    take: rowsMax,
  })
  return rows.map(({ position }) => position)
}

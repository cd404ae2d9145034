import type { Statement } from '@payments/chassis/database/statement'
import { definedMembers } from '@payments/contracts/grammar/defined-members'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import sql from 'sql-template-tag'
import { toChainId } from '../domain/chain.ts'
import type { RecordFilter } from '../domain/record.ts'
import type { AuditRecordModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

export type RecordRow = AuditRecordModel

/**
 * Stores the records whose ids are unknown at the next positions of their chains, under the current day of the database
 * clock, and advances the heads of the chains. Returns the number of new records as `stored`. The statement begins
 * after the locks, so days never decrease along a chain.
 *
 * The chains are locked (`lockChains`), and no id is repeated. Each column names its table, because a later release may
 * add columns while this one runs. Stored ids are searched from the day `storedSince` up to tomorrow: a subquery with a
 * limit is an index scan per record and partition, however the planner estimates.
 */
export function insertRecords(records: readonly AuditRecord[], storedSince: string): Statement {
  const rows = records.map(({ actor, tenant_id, ...fields }) => ({
    ...fields,
    tenant_id: toChainId(tenant_id),
    actor_type: actor.type,
    actor_id: actor.id,
  }))
  return sql`
    WITH given AS (
      SELECT * FROM ROWS FROM (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS (tenant_id uuid, id uuid,
        occurred_at timestamptz, trace_id uuid, actor_type text, actor_id text, method text, path text, operation text,
        permission text, outcome text, status int, code text, ip text, user_agent text, duration_ms float8,
        client_gone boolean, count int, client text)) WITH ORDINALITY
    ), unknown AS (
      SELECT given.*, row_number() OVER (PARTITION BY given.tenant_id ORDER BY given.ordinality) AS distance
      FROM given LEFT JOIN LATERAL (
        SELECT true AS is_stored FROM audit_records r
        WHERE r.tenant_id = given.tenant_id AND r.id = given.id AND r.stored_on >= ${storedSince}::date
          AND r.stored_on <= (statement_timestamp() AT TIME ZONE 'UTC')::date + 1
        LIMIT 1
      ) known ON true
      WHERE known.is_stored IS NULL
    ), inserted AS (
      INSERT INTO audit_records (stored_on, tenant_id, position, id, occurred_at, trace_id, actor_type, actor_id, method,
        path, operation, permission, outcome, status, code, ip, user_agent, duration_ms, client_gone, count, client)
      SELECT (statement_timestamp() AT TIME ZONE 'UTC')::date, u.tenant_id, c.head_position + u.distance, u.id,
        u.occurred_at, u.trace_id, u.actor_type, u.actor_id, u.method, u.path, u.operation, u.permission, u.outcome,
        u.status, u.code, u.ip, u.user_agent, u.duration_ms, u.client_gone, u.count, u.client
      FROM unknown u JOIN audit_chains c ON c.tenant_id = u.tenant_id
      RETURNING tenant_id
    ), advanced AS (
      UPDATE audit_chains c SET head_position = c.head_position + i.records
      FROM (SELECT tenant_id, count(*) AS records FROM inserted GROUP BY tenant_id) i WHERE c.tenant_id = i.tenant_id
    )
    SELECT count(*)::int AS stored FROM inserted`
}

const dayMs = 24 * 60 * 60 * 1000

/** In the order of the filter; one more than `limit`. */
export function list(tx: Tx, tenantId: string, filter: RecordFilter, limit: number): Promise<RecordRow[]> {
  const { actorType, actorId, operation, pathPrefix, code, status } = filter
  const { clients, outcomes, traceId, occurredAfter, occurredBefore, order, lastSeen } = filter
  return tx.auditRecord.findMany({
    where: {
      tenantId,
      ...definedMembers({ actorType, actorId, operation, code, status, traceId }),
      ...(clients === undefined ? {} : { OR: [{ client: { in: [...clients] } }, ...withoutClient(clients)] }),
      ...(pathPrefix === undefined ? {} : { path: { startsWith: literal(pathPrefix) } }),
      ...(outcomes === undefined ? {} : { outcome: { in: [...outcomes] } }),
      ...(lastSeen === undefined ? {} : { id: order === 'newest' ? { lt: lastSeen } : { gt: lastSeen } }),
      occurredAt: definedMembers({ gte: occurredAfter, lt: occurredBefore }),
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

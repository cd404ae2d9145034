import { idBefore } from '@payments/contracts/grammar/page'
import type { AuditRecord, RecordQuery } from '@payments/contracts/services/audit/contract'
import { type StoredRecord, toTenantId } from './chain.ts'
import { formatDay } from './seal.ts'

export interface RecordFacts {
  readonly tenantId: string
  readonly position: bigint
  readonly storedOn: Date
  readonly id: string
  readonly occurredAt: Date
  readonly traceId: string
  readonly actorType: string
  readonly actorId: string | null
  readonly client: string | null
  readonly method: string | null
  readonly path: string | null
  readonly operation: string | null
  readonly permission: string | null
  readonly outcome: string
  readonly status: number
  readonly code: string | null
  readonly ip: string
  readonly userAgent: string | null
  readonly durationMs: number
  readonly clientGone: boolean
  readonly count: number
}

export function presentRecord(row: RecordFacts): AuditRecord {
  return {
    id: row.id,
    occurred_at: row.occurredAt.toISOString(),
    trace_id: row.traceId,
    tenant_id: toTenantId(row.tenantId),
    actor: { type: row.actorType as AuditRecord['actor']['type'], id: row.actorId },
    client: row.client as AuditRecord['client'],
    method: row.method,
    path: row.path,
    operation: row.operation,
    permission: row.permission,
    outcome: row.outcome as AuditRecord['outcome'],
    status: row.status,
    code: row.code,
    ip: row.ip,
    user_agent: row.userAgent,
    duration_ms: row.durationMs,
    client_gone: row.clientGone,
    count: row.count,
  }
}

export function toStoredRecord(row: RecordFacts): StoredRecord {
  return { position: Number(row.position), storedOn: formatDay(row.storedOn), record: presentRecord(row) }
}

/** Whether the records that match may be rare among those that the indexes lead to: ids, and the Trace-ID. */
export function isSearch({
  traceId,
  order: _order,
  lastSeen: _lastSeen,
  occurredAfter: _after,
  ...filter
}: RecordFilter): boolean {
  return traceId === undefined && Object.values(filter).some((value) => value !== undefined)
}

export type RecordFilter = ReturnType<typeof toRecordFilter>

/** Throws invalid_request for an invalid cursor. */
export function toRecordFilter(query: RecordQuery) {
  return {
    actorType: query.actor_type,
    actorId: query.actor_id,
    /** `none`: without a client. */
    clients: query.client,
    operation: query.operation,
    pathPrefix: query.path_prefix,
    outcomes: query.outcome,
    code: query.code,
    status: query.status,
    traceId: query.trace_id,
    occurredAfter: query.occurred_after,
    occurredBefore: query.occurred_before,
    order: query.order,
    /** The last record of the previous page. */
    lastSeen: idBefore(query.cursor),
  }
}

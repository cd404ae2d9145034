import { newId } from '@payments/chassis/base/id'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'

type Known = Pick<AuditRecord, 'trace_id' | 'outcome' | 'status' | 'code' | 'ip'>

/** The record of requests that the pipeline has not identified. Members that are not given are null. */
export function minimalRecord(known: Known & Partial<AuditRecord>): AuditRecord {
  return {
    id: newId(),
    occurred_at: new Date().toISOString(),
    tenant_id: null,
    actor: { type: 'anonymous', id: null },
    client: null,
    method: null,
    path: null,
    operation: null,
    permission: null,
    user_agent: null,
    duration_ms: 0,
    client_gone: false,
    count: 1,
    ...known,
  }
}

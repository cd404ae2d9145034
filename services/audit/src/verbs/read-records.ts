import type { Caller } from '@payments/chassis/base/caller'
import { type Page, toPage } from '@payments/contracts/grammar/page'
import type { AuditRecord, RecordQuery } from '@payments/contracts/services/audit/contract'
import type { Deps } from '../deps.ts'
import { isSearch, presentRecord, toRecordFilter } from '../domain/record.ts'
import type { Tx } from '../store/database.ts'
import * as records from '../store/records.ts'

/** Lists the records of the calling tenant. Records of unauthenticated requests belong to no tenant. */
export async function listRecords(deps: Deps, caller: Caller, query: RecordQuery): Promise<Page<AuditRecord>> {
  const { tenantId } = caller
  const filter = toRecordFilter(query)
  const read = (tx: Tx) => records.list(tx, tenantId, filter, query.limit)
  const rows = await (isSearch(filter) ? deps.searches.run(tenantId, read) : deps.db.readInTenant(tenantId, read))
  return toPage(rows, query.limit, presentRecord)
}

/** Lists the records of one chain for operators, including the chain of records without a tenant. */
export async function inspectRecords(deps: Deps, chain: string, query: RecordQuery): Promise<Page<AuditRecord>> {
  const filter = toRecordFilter(query)
  const rows = await deps.db.readInTenant(chain, (tx) => records.list(tx, chain, filter, query.limit))
  return toPage(rows, query.limit, presentRecord)
}

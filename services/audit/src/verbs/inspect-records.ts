import { type Page, toPage } from '@payments/contracts/grammar/page'
import type { AuditRecord, RecordQuery } from '@payments/contracts/services/audit/contract'
import type { Deps } from '../deps.ts'
import { presentRecord, toRecordFilter } from '../domain/record.ts'
import * as records from '../store/records.ts'

/** Lists the records of one chain for operators, including the chain of records without a tenant. */
export async function inspectRecords(deps: Deps, chain: string, query: RecordQuery): Promise<Page<AuditRecord>> {
  const filter = toRecordFilter(query)
  const rows = await deps.db.readInTenant(chain, (tx) => records.list(tx, chain, filter, query.limit))
  return toPage(rows, query.limit, presentRecord)
}

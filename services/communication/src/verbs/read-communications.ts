import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, type PageQuery } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import { searchedPage } from '@payments/contracts/grammar/searched-page'
import { type Communication, problems } from '@payments/contracts/services/communication/contract'
import type { Deps } from '../deps.ts'
import { presentCommunication } from '../domain/communication.ts'
import * as communications from '../store/communications.ts'

interface CommunicationsQuery extends PageQuery {
  readonly business_unit_id?: string | undefined
  readonly recipient?: string | undefined
  readonly status?: Communication['status'] | undefined
  readonly template_id?: string | undefined
}

export async function listCommunications(
  deps: Deps,
  { tenantId }: Caller,
  { cursor, limit, recipient, status, business_unit_id: businessUnitId, template_id: templateId }: CommunicationsQuery,
): Promise<Page<Communication>> {
  const before = idBefore(cursor)
  const search = { before, limit, businessUnitId, templateId, recipient, status }
  const found = await deps.db.inTenant(tenantId, (tx) => communications.list(tx, tenantId, search))
  return searchedPage(found, limit, presentCommunication)
}

/** Throws communication_not_found. */
export async function readCommunication(deps: Deps, { tenantId }: Caller, id: string): Promise<Communication> {
  const found = await deps.db.readInTenant(tenantId, (tx) => communications.findCommunication(tx, tenantId, id))
  if (found === null) throw new Problem(problems.communication_not_found)
  return presentCommunication(found)
}

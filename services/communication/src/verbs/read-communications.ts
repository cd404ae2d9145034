import type { Caller } from '@payments/chassis/base/caller'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { idBefore, type Page } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import { searchedPage } from '@payments/contracts/grammar/searched-page'
import {
  type Communication,
  type communicationContract,
  problems,
} from '@payments/contracts/services/communication/contract'
import type { Deps } from '../deps.ts'
import { presentCommunication } from '../domain/communication.ts'
import * as communications from '../store/communications.ts'

type CommunicationsQuery = RequestOf<typeof communicationContract.endpoints.listCommunications>['query']

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

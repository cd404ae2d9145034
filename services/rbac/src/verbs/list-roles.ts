import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, type PageQuery, toPage } from '@payments/contracts/grammar/page'
import type { Role } from '@payments/contracts/services/rbac/contract'
import type { Deps } from '../deps.ts'
import { presentRole } from '../domain/role.ts'
import * as roles from '../store/roles.ts'

export async function listRoles(deps: Deps, caller: Caller, { cursor, limit }: PageQuery): Promise<Page<Role>> {
  const before = idBefore(cursor)
  const rows = await deps.db.readInTenant(caller.tenantId, (tx) => roles.list(tx, caller.tenantId, { before, limit }))
  return toPage(rows, limit, presentRole)
}

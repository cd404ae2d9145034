import type { RoleModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

export type RoleRow = RoleModel
export type RoleInsert = Pick<RoleRow, 'id' | 'name' | 'description' | 'kind' | 'permissions'>

export function insertRoles(tx: Tx, tenantId: string, roles: readonly RoleInsert[]): Promise<RoleRow[]> {
  return tx.role.createManyAndReturn({ data: roles.map((role) => ({ ...role, tenantId })) })
}

export function findRole(tx: Tx, tenantId: string, roleId: string): Promise<RoleRow | null> {
  return tx.role.findFirst({ where: { tenantId, id: roleId } })
}

/** Those that exist, by id or by name. */
export function findRoles(
  tx: Tx,
  tenantId: string,
  sought: { ids: readonly string[]; names: readonly string[] },
): Promise<RoleRow[]> {
  const either = [{ id: { in: [...sought.ids] } }, { name: { in: [...sought.names] } }]
  return tx.role.findMany({ where: { tenantId, OR: either }, orderBy: { id: 'asc' } })
}

/** Newest first; one more than `limit`, so that the caller knows whether there is a next page. */
export function listRoles(
  tx: Tx,
  tenantId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<RoleRow[]> {
  return tx.role.findMany({
    where: { tenantId, ...(before === undefined ? {} : { id: { lt: before } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
}

import { operationsOfPermissions } from '@payments/contracts/edges/operations-of-permissions'
import { type Page, type PageQuery, pageByName } from '@payments/contracts/grammar/page'
import { type Permission, permissionNames, permissions } from '@payments/contracts/grammar/permission'

interface ListedPermission {
  name: Permission
  description: string
  operations: string[]
}

const catalogue = permissionNames.map((name) => ({
  name,
  description: permissions[name],
  operations: [...(operationsOfPermissions.get(name) ?? [])],
}))

/** The catalogue, by name. */
export async function listPermissions(query: PageQuery): Promise<Page<ListedPermission>> {
  return pageByName(catalogue, ({ name }) => name, query)
}

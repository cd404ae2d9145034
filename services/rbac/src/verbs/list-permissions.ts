import { contracts } from '@payments/contracts/edges/contracts'
import { type Page, type PageQuery, pageByName } from '@payments/contracts/grammar/page'
import { type Permission, permissionNames, permissions } from '@payments/contracts/grammar/permission'

interface ListedPermission {
  name: Permission
  description: string
  operations: string[]
}

const operations = contracts.flatMap(({ endpoints }) => Object.entries(endpoints))

const catalogue = permissionNames.map((name) => ({
  name,
  description: permissions[name],
  operations: operations.flatMap(([operation, { permission }]) => (permission === name ? [operation] : [])),
}))

/** The catalogue, by name. */
export async function listPermissions(query: PageQuery): Promise<Page<ListedPermission>> {
  return pageByName(catalogue, ({ name }) => name, query)
}

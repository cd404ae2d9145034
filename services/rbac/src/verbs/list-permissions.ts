import { type Page, type PageQuery, pageByName } from '@payments/contracts/grammar/page'
import { type Permission, permissionNames, permissions } from '@payments/contracts/grammar/permission'

const catalogue = permissionNames.map((name) => ({ name, description: permissions[name] }))

/** The catalogue, by name. */
export async function listPermissions(query: PageQuery): Promise<Page<{ name: Permission; description: string }>> {
  return pageByName(catalogue, ({ name }) => name, query)
}

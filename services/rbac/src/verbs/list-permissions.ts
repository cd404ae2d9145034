import { permissionNames, permissions } from '@payments/contracts/permission'

/** The whole catalogue, one page. */
export async function listPermissions() {
  return { data: permissionNames.map((name) => ({ name, description: permissions[name] })), next_cursor: null }
}

import type { Deps } from '../deps.ts'
import { findKey } from '../store/keys.ts'

interface NamedRoles {
  readonly name: string | null
  readonly role_ids: string[]
}

/** The name and the roles of a key, disabled and expired keys included. Null and empty for an unknown key. */
export async function readKeyRoles(deps: Deps, tenantId: string, keyId: string): Promise<NamedRoles> {
  const key = await deps.db.readInTenant(tenantId, (tx) => findKey(tx, tenantId, keyId))
  return { name: key?.name ?? null, role_ids: key?.roles.map(({ roleId }) => roleId) ?? [] }
}

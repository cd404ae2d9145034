import type { Deps } from '../deps.ts'
import { findKey } from '../store/keys.ts'

/** The roles of a key, disabled and expired keys included. Empty for an unknown key. */
export async function readKeyRoles(deps: Deps, tenantId: string, keyId: string): Promise<{ role_ids: string[] }> {
  const key = await deps.db.inTenant(tenantId, (tx) => findKey(tx, tenantId, keyId))
  return { role_ids: key?.roles.map(({ roleId }) => roleId) ?? [] }
}

import type { Deps } from '../deps.ts'
import { findKey } from '../store/keys.ts'

/** The roles of a key, whether or not it can be used; none where there is no such key. */
export async function readKeyRoles(deps: Deps, tenantId: string, keyId: string): Promise<{ role_ids: string[] }> {
  const key = await deps.db.inTenant(tenantId, (tx) => findKey(tx, tenantId, keyId))
  return { role_ids: key?.roles.map(({ roleId }) => roleId) ?? [] }
}

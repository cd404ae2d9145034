import type { ServiceCaller } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import { everyKeyHash } from '@payments/contracts/endpoints/authorization-version'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { apiKey, type Key, problems } from '@payments/contracts/services/api-key/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { keysMax, presentKey, presentKeyEvent } from '../domain/key.ts'
import { unknownRoleName } from '../domain/role.ts'
import { countUsable, insertKey, lockKeyCount } from '../store/keys.ts'

/**
 * For operators: creates a key with a role, for a new tenant or for one that lost its last usable key. A tenant that is
 * suspended meanwhile gets a key that the gateway rejects. Throws tenant_not_found, tenant_suspended, unknown_role,
 * tenant_has_key, too_many_keys.
 */
export async function issueKey(
  deps: Deps,
  { service, traceId }: ServiceCaller,
  tenantId: string,
  draft: { name: string; description: string; roleName: string },
): Promise<Key> {
  const { name, description, roleName } = draft
  const { tenant_status: status, roles } = await deps.rbac.resolveRoles(
    { traceId },
    { params: { tenant_id: tenantId }, body: { role_names: [roleName], purpose: 'assign' } },
  )
  if (status === 'suspended') throw new Problem(commonProblems.tenant_suspended, { detail: 'The tenant is suspended' })
  const [role] = roles
  if (role === undefined) throw unknownRoleName()
  const id = newId()
  const generated = await deps.values.generate(tenantId, id)
  const { environment } = deps.values
  const createdBy = `service:${service}`
  const insert = { ...generated, id, name, description, environment, expiresAt: null, allowedCidrs: [], createdBy }
  const key = await deps.db.inTenant(tenantId, async (tx) => {
    const count = await lockKeyCount(tx, tenantId)
    if ((await countUsable(tx, tenantId, new Date())) > 0) throw new Problem(problems.tenant_has_key)
    if (count >= keysMax) throw new Problem(problems.too_many_keys)
    const row = await insertKey(tx, tenantId, insert, [role.id])
    const payload = presentKeyEvent(row)
    for (const type of ['api-key.keys.create', 'api-key.keys.assign-roles'] as const) {
      await emit(tx, apiKey.events, { type, tenantId, businessUnitId: null, traceId, payload })
    }
    recordAuthorizationChange(tx, 'unknown_key_hashes', [everyKeyHash])
    return presentKey(row, new Date())
  })
  return { ...key, value: await deps.values.decrypt(tenantId, key.id, generated.valueEncrypted) }
}

import { recordAuthorizationChange } from '@payments/chassis/authorization-version'
import type { ServiceCaller } from '@payments/chassis/caller'
import { newId } from '@payments/chassis/id'
import { apiKey, type Key, problems } from '@payments/contracts/api-key'
import { everyKeyHash } from '@payments/contracts/authorization-version'
import { Problem } from '@payments/contracts/problem'
import { emit } from '@payments/messaging/outbox'
import type { Deps } from '../deps.ts'
import { keysMax, presentKey, presentKeyEvent } from '../domain/key.ts'
import { unknownRole } from '../domain/role.ts'
import { insertKey, lockKeyCount } from '../store/keys.ts'

/**
 * Onboarding by an operator: creates the first key of a tenant with its roles.
 * Throws tenant_not_found, unknown_role, too_many_keys.
 */
export async function issueFirstKey(
  deps: Deps,
  { service, traceId }: ServiceCaller,
  tenantId: string,
  draft: { name: string; description: string; roleIds: readonly string[] },
): Promise<Key> {
  const { name, description, roleIds } = draft
  const resolved = await deps.rbac.resolveRoles(
    { traceId },
    { params: { tenant_id: tenantId }, body: { role_ids: [...roleIds], purpose: 'assign' } },
  )
  if (resolved.unknown.length > 0) throw unknownRole(roleIds, resolved.unknown)
  const id = newId()
  const generated = await deps.values.generate(tenantId, id)
  const { environment } = deps.values
  const createdBy = `service:${service}`
  const insert = { ...generated, id, name, description, environment, expiresAt: null, allowedCidrs: [], createdBy }
  const key = await deps.db.inTenant(tenantId, async (tx) => {
    if ((await lockKeyCount(tx, tenantId)) >= keysMax) throw new Problem(problems.too_many_keys)
    const row = await insertKey(tx, tenantId, insert, [...new Set(roleIds)])
    const payload = presentKeyEvent(row)
    for (const type of ['api-key.keys.create', 'api-key.keys.assign-roles'] as const) {
      await emit(tx, apiKey.events, { type, tenantId, businessUnitId: null, traceId, payload })
    }
    recordAuthorizationChange(tx, 'unknown_key_hashes', [everyKeyHash])
    return presentKey(row)
  })
  return { ...key, value: await deps.values.decrypt(tenantId, key.id, generated.valueEncrypted) }
}

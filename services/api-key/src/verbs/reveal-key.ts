import { actorName, type CallerWithPermissions } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { apiKey, type Key, problems } from '@payments/contracts/services/api-key/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { presentKey } from '../domain/key.ts'
import { requireKeyPermissions } from '../domain/permissions.ts'
import { withCurrentPermissions } from '../key-permissions/current-permissions.ts'
import { findEncryptedValue } from '../store/values.ts'

/**
 * The event of the reveal is committed before the value is decrypted, so every revealed value has an event. The
 * gateway counted the reveal (take-reveal.ts). Throws key_not_found, would_exceed_own_permissions.
 */
export async function revealKey(deps: Deps, caller: CallerWithPermissions, keyId: string): Promise<Key> {
  const { tenantId, traceId } = caller
  const actor = actorName(caller.actor)
  const { key, encrypted } = await withCurrentPermissions(
    deps,
    caller,
    keyId,
    async (tx, { key: row, granted, holder }) => {
      requireKeyPermissions(holder, row.createdBy === actor, granted)
      const stored = await findEncryptedValue(tx, tenantId, keyId)
      if (stored === undefined) throw new Problem(problems.key_not_found)
      const payload = { id: keyId, name: row.name, revealed_by: actor, revealed_at: new Date().toISOString() }
      await emit(tx, apiKey.events, { type: 'api-key.keys.reveal', tenantId, businessUnitId: null, traceId, payload })
      return { key: presentKey(row, new Date()), encrypted: stored }
    },
  )
  return { ...key, value: await deps.values.decrypt(tenantId, keyId, encrypted) }
}

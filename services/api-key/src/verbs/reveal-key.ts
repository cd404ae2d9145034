import { actorName, type Caller } from '@payments/chassis/caller'
import { apiKey, type Key, problems } from '@payments/contracts/api-key'
import { commonProblems, Problem } from '@payments/contracts/problem'
import { emit } from '@payments/messaging/outbox'
import type { Deps } from '../deps.ts'
import { presentKey } from '../domain/key.ts'
import { requireHeldPermissions } from '../domain/permissions.ts'
import { revealLimit } from '../domain/reveal.ts'
import { withCurrentPermissions } from '../key-permissions/current-permissions.ts'
import { takeRevealAttempt } from '../store/reveal-attempts.ts'
import { findEncryptedValue } from '../store/values.ts'

/**
 * Two transactions commit before the value is decrypted. The first counts the attempt, rejected attempts included; the
 * second emits the event of the reveal. So every revealed value has an event.
 * Throws rate_limited, key_not_found, would_exceed_own_permissions.
 */
export async function revealKey(deps: Deps, caller: Caller, keyId: string): Promise<Key> {
  const { tenantId, traceId } = caller
  const actor = actorName(caller.actor)
  const retryAfterSeconds = await deps.db.inTenant(tenantId, (tx) =>
    takeRevealAttempt(tx, tenantId, actor, revealLimit),
  )
  if (retryAfterSeconds > 0) {
    const detail = `More than ${revealLimit.attemptsMax} reveals by the actor in ${revealLimit.windowSeconds} s`
    throw new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
  }
  const { key, encrypted } = await withCurrentPermissions(deps, caller, keyId, async (tx, row, granted) => {
    requireHeldPermissions(caller, granted)
    const stored = await findEncryptedValue(tx, tenantId, keyId)
    if (stored === undefined) throw new Problem(problems.key_not_found)
    const payload = { id: keyId, name: row.name, revealed_by: actor, revealed_at: new Date().toISOString() }
    await emit(tx, apiKey.events, { type: 'api-key.keys.reveal', tenantId, businessUnitId: null, traceId, payload })
    return { key: presentKey(row), encrypted: stored }
  })
  return { ...key, value: await deps.values.decrypt(tenantId, keyId, encrypted) }
}

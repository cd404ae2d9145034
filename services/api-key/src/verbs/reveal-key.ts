import { actorName, type Caller } from '@payments/chassis/caller'
import { apiKey, type Key, problems } from '@payments/contracts/api-key'
import { commonProblems, Problem } from '@payments/contracts/problem'
import { emit } from '@payments/messaging/outbox'
import type { Deps } from '../deps.ts'
import { presentKey } from '../domain/key.ts'
import { refuseExceeding } from '../domain/power.ts'
import { revealLimit } from '../domain/reveal.ts'
import { withPresentGrant } from '../present-grant.ts'
import { takeRevealAttempt } from '../store/reveal-attempts.ts'
import { findSealedValue } from '../store/values.ts'

/**
 * Two commits come before the value: the attempt, which counts whether or not it is refused, and the event that tells of
 * the reveal. Opening comes last, so no value leaves that no event tells of.
 * Throws rate_limited, key_not_found, would_exceed_own_permissions.
 */
export async function revealKey(deps: Deps, caller: Caller, keyId: string): Promise<Key> {
  const { tenantId, traceId } = caller
  const actor = actorName(caller.actor)
  const retryAfterSeconds = await deps.db.inTenant(tenantId, (tx) =>
    takeRevealAttempt(tx, tenantId, actor, revealLimit),
  )
  if (retryAfterSeconds > 0) {
    const detail = `An actor may reveal ${revealLimit.attemptsMax} times in ${revealLimit.windowSeconds} s`
    throw new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
  }
  const { key, sealed } = await withPresentGrant(deps, caller, keyId, async (tx, row, granted) => {
    refuseExceeding(caller, granted)
    const stored = await findSealedValue(tx, tenantId, keyId)
    if (stored === undefined) throw new Problem(problems.key_not_found)
    const payload = { id: keyId, name: row.name, revealed_by: actor, revealed_at: new Date().toISOString() }
    await emit(tx, apiKey.events, { type: 'api-key.keys.reveal', tenantId, businessUnitId: null, traceId, payload })
    return { key: presentKey(row), sealed: stored }
  })
  return { ...key, value: await deps.values.open(tenantId, keyId, sealed) }
}

import { actorName, type Caller, type CallerWithPermissions } from '@payments/chassis/base/caller'
import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import { onceIn, type ReplyRedaction } from '@payments/chassis/request/idempotency'
import { everyKeyHash } from '@payments/contracts/endpoints/authorization-version'
import { Problem } from '@payments/contracts/grammar/problem'
import { ownGraceSecondsMin, ownRotationProblems } from '@payments/contracts/problems/own-key-rotation'
import { apiKey, type Key } from '@payments/contracts/services/api-key/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { presentKey, presentKeyEvent } from '../domain/key.ts'
import { isOwnKey, requireKeyPermissions } from '../domain/permissions.ts'
import { type CurrentKey, withCurrentPermissions } from '../key-permissions/current-permissions.ts'
import { restoreValue, type ShownKey } from '../key-values/restore-value.ts'
import type { Tx } from '../store/database.ts'
import { replaceValue } from '../store/values.ts'

interface Rotated extends ShownKey {
  readonly encrypted: Uint8Array
}

/**
 * The response contains the new value, decrypted from the stored bytes. The previous value works for `grace` seconds
 * more; 0 ends it at once. The value before the previous one ends in either case, so a key has at most two working
 * values.
 * Throws key_not_found, grace_period_too_short, would_exceed_own_permissions; a replay also throws value_replaced.
 */
export async function rotateKey(
  deps: Deps,
  caller: CallerWithPermissions,
  keyId: string,
  grace: number | undefined,
): Promise<Key> {
  const { tenantId, traceId } = caller
  const gracePeriodSeconds = chooseGraceSeconds(caller, keyId, grace)
  const value = await deps.values.generate(tenantId, keyId)
  const rotate = async (tx: Tx, { key, granted, holder }: CurrentKey): Promise<Rotated> => {
    requireKeyPermissions(holder, key.createdBy === actorName(caller.actor), granted)
    const previousEndsAt = gracePeriodSeconds === 0 ? null : new Date(Date.now() + gracePeriodSeconds * 1000)
    const row = await replaceValue(tx, tenantId, keyId, { value, previousEndsAt })
    const payload = presentKeyEvent(row)
    await emit(tx, apiKey.events, { type: 'api-key.keys.update', tenantId, businessUnitId: null, traceId, payload })
    recordAuthorizationChange(tx, 'key', [keyId])
    recordAuthorizationChange(tx, 'unknown_key_hashes', [everyKeyHash])
    const { rotation } = row
    return {
      key: presentKey(row, new Date()),
      rotation,
      shownTo: actorName(caller.actor),
      encrypted: value.valueEncrypted,
    }
  }
  const memory = createRedaction(caller)
  const { key, encrypted } = await withCurrentPermissions(deps, caller, keyId, rotate, (tx, proceed) =>
    onceIn(tx, caller, proceed, memory),
  )
  return { ...key, value: await deps.values.decrypt(tenantId, keyId, encrypted) }
}

/** Throws grace_period_too_short. */
function chooseGraceSeconds(caller: Caller, keyId: string, grace: number | undefined): number {
  if (!isOwnKey(caller, keyId)) return grace ?? 0
  if (grace === undefined) return ownGraceSecondsMin
  if (grace >= ownGraceSecondsMin) return grace
  const detail = `must be at least ${ownGraceSecondsMin} for the API key of the request`
  throw new Problem(ownRotationProblems.grace_period_too_short, {
    errors: [{ pointer: '/grace_period_seconds', detail }],
  })
}

const createRedaction = (caller: Caller): ReplyRedaction<Tx, Rotated> => ({
  redact: ({ key, rotation, shownTo }) => ({ key, rotation, shownTo }),
  restore: async (tx, stored) => {
    const shown = stored as ShownKey
    return { ...shown, encrypted: await restoreValue(tx, caller, shown) }
  },
})

import { recordAuthorizationChange } from '@payments/chassis/authorization-version'
import { actorName, type Caller } from '@payments/chassis/caller'
import { onceIn, type ReplyRedaction } from '@payments/chassis/idempotency'
import { apiKey, type Key } from '@payments/contracts/api-key'
import { everyHandle } from '@payments/contracts/authorization-version'
import type { Permission } from '@payments/contracts/permission'
import { emit } from '@payments/messaging/outbox'
import type { Deps } from '../deps.ts'
import { presentKey, presentKeyEvent } from '../domain/key.ts'
import { refuseExceeding } from '../domain/power.ts'
import { withPresentGrant } from '../present-grant.ts'
import { recallValue, type Shown } from '../recall-value.ts'
import type { Tx } from '../store/database.ts'
import { replaceValue } from '../store/values.ts'

interface Rotated extends Shown {
  readonly sealed: Uint8Array
}

/**
 * A new value, shown here once and opened from what was stored. The one it replaces works `gracePeriodSeconds` longer, at 0 not at all; one
 * that was still in its grace ends now, so at most two values of a key work at a time. A key may rotate itself: it keeps its power.
 * Throws key_not_found, would_exceed_own_permissions, and when replayed value_replaced.
 */
export async function rotateKey(deps: Deps, caller: Caller, keyId: string, gracePeriodSeconds: number): Promise<Key> {
  const { tenantId, traceId } = caller
  const value = await deps.values.make(tenantId, keyId)
  const rotate = async (tx: Tx, _: unknown, granted: readonly Permission[]): Promise<Rotated> => {
    refuseExceeding(caller, granted)
    const formerEndsAt = gracePeriodSeconds === 0 ? null : new Date(Date.now() + gracePeriodSeconds * 1000)
    const row = await replaceValue(tx, tenantId, keyId, { value, formerEndsAt })
    const payload = presentKeyEvent(row)
    await emit(tx, apiKey.events, { type: 'api-key.keys.update', tenantId, businessUnitId: null, traceId, payload })
    recordAuthorizationChange(tx, 'key', [keyId])
    recordAuthorizationChange(tx, 'unknown_handles', [everyHandle])
    const { rotation } = row
    return { key: presentKey(row), rotation, shownTo: actorName(caller.actor), sealed: value.sealedValue }
  }
  const memory = memoryOf(caller)
  const { key, sealed } = await withPresentGrant(deps, caller, keyId, rotate, (tx, goOn) =>
    onceIn(tx, caller, goOn, memory),
  )
  return { ...key, value: await deps.values.open(tenantId, keyId, sealed) }
}

const memoryOf = (caller: Caller): ReplyRedaction<Tx, Rotated> => ({
  redact: ({ key, rotation, shownTo }) => ({ key, rotation, shownTo }),
  restore: async (tx, remembered) => {
    const shown = remembered as Shown
    return { ...shown, sealed: await recallValue(tx, caller, shown) }
  },
})

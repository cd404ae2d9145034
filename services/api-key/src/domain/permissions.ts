import { type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import { Problem } from '@payments/contracts/grammar/problem'
import { requireHeldPermissions } from '@payments/contracts/problems/held-permissions'
import { problems } from '@payments/contracts/services/api-key/contract'
import { covers } from './addresses.ts'

/**
 * The no-privilege-escalation rule: a caller gives, takes, reveals and rotates only permissions that the caller holds.
 * Its counterpart: a key does not remove its own access. So a caller that disarms an administrator is one, and a tenant
 * keeps an administrator.
 */
interface Holder {
  readonly permissions: ReadonlySet<Permission>
}

interface Actor {
  readonly actor: { readonly type: 'api_key' | 'user'; readonly id: string }
}

/**
 * As `requireHeldPermissions`, for a caller that learns or replaces the value of a key, or changes its access. A key
 * without permissions gets its roles next: for others than its creator, it counts as one with every permission.
 */
export function requireKeyPermissions(holder: Holder, isCreator: boolean, granted: readonly Permission[]): void {
  requireHeldPermissions(holder, granted.length === 0 && !isCreator ? permissionNames : granted)
}

/** Throws own_key when the holder is the key itself. */
export function rejectOwnKey(holder: Actor, keyId: string): void {
  if (isOwnKey(holder, keyId)) throw new Problem(problems.own_key)
}

/** Throws own_key when the holder is the key itself and `granted` lacks a permission of the holder. */
export function rejectLossOfOwnPermissions(
  holder: Actor & Holder,
  keyId: string,
  granted: readonly Permission[],
): void {
  const retained = new Set(granted)
  const loses = [...holder.permissions].some((permission) => !retained.has(permission))
  if (loses) rejectOwnKey(holder, keyId)
}

export function isOwnKey({ actor }: Actor, keyId: string): boolean {
  return actor.type === 'api_key' && actor.id === keyId
}

/** When, and from which addresses, a key may be used. */
export interface KeyConstraints {
  readonly enabled: boolean
  readonly expiresAt: Date | null
  readonly allowedCidrs: readonly string[]
}

/**
 * Whether a change ends the access of a key that is usable at `now`, or removes an allowed address. Any removed address
 * counts: the address of the caller is unknown here.
 */
export function locksOut(before: KeyConstraints, after: KeyConstraints, now: Date): boolean {
  return (isUsable(before, now) && !isUsable(after, now)) || !covers(after.allowedCidrs, before.allowedCidrs)
}

/** Whether a change gives or takes access. Caches of the key must be invalidated then. */
export function changesAccess(before: KeyConstraints, after: KeyConstraints): boolean {
  const isElsewhere = before.allowedCidrs.join() !== after.allowedCidrs.join()
  return before.enabled !== after.enabled || accessEnd(before) !== accessEnd(after) || isElsewhere
}

export function isUsable({ enabled, expiresAt }: Pick<KeyConstraints, 'enabled' | 'expiresAt'>, now: Date): boolean {
  return enabled && (expiresAt === null || expiresAt > now)
}

function accessEnd({ expiresAt }: KeyConstraints): number {
  return expiresAt?.getTime() ?? Number.POSITIVE_INFINITY
}

import { problems } from '@payments/contracts/api-key'
import type { Permission } from '@payments/contracts/permission'
import { commonProblems, Problem } from '@payments/contracts/problem'

/**
 * The monotone rule: nobody hands out, reveals or re-enables more power than they hold. And its counterpart: a key does not
 * take its own power away, so that a tenant does not lock itself out by mistake.
 */
export interface Holder {
  readonly actor: { readonly type: 'api_key' | 'user'; readonly id: string }
  readonly permissions: ReadonlySet<Permission>
}

/** Throws would_exceed_own_permissions, naming what the holder lacks of `granted`. */
export function refuseExceeding(holder: Holder, granted: readonly Permission[]): void {
  const missing = granted.filter((permission) => !holder.permissions.has(permission))
  if (missing.length === 0) return
  throw new Problem(commonProblems.would_exceed_own_permissions, { extensions: { missing_permissions: missing } })
}

/** Throws own_key where the holder is the key itself. */
export function refuseOwnKey(holder: Holder, keyId: string): void {
  if (isOwnKey(holder, keyId)) throw new Problem(problems.own_key)
}

/** Throws own_key where the holder is the key itself and `granted` is less than it holds. */
export function refuseStrippingOwnKey(holder: Holder, keyId: string, granted: readonly Permission[]): void {
  const kept = new Set(granted)
  const loses = [...holder.permissions].some((permission) => !kept.has(permission))
  if (loses) refuseOwnKey(holder, keyId)
}

function isOwnKey({ actor }: Holder, keyId: string): boolean {
  return actor.type === 'api_key' && actor.id === keyId
}

export interface Lifetime {
  readonly enabled: boolean
  readonly expiresAt: Date | null
}

/** Whether a change of state lets a key act that could not, or act for longer. */
export function addsPower(before: Lifetime, after: Lifetime): boolean {
  return (after.enabled && !before.enabled) || endOf(after) > endOf(before)
}

/** Whether a key could act at `now` before a change, and cannot after it. */
export function endsPower(before: Lifetime, after: Lifetime, now: Date): boolean {
  return isLive(before, now) && !isLive(after, now)
}

export function isLive({ enabled, expiresAt }: Lifetime, now: Date): boolean {
  return enabled && (expiresAt === null || expiresAt > now)
}

function endOf({ expiresAt }: Lifetime): number {
  return expiresAt?.getTime() ?? Number.POSITIVE_INFINITY
}

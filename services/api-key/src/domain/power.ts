import { problems } from '@payments/contracts/api-key'
import type { Permission } from '@payments/contracts/permission'
import { commonProblems, Problem } from '@payments/contracts/problem'
import { covers } from './addresses.ts'

/**
 * The monotone rule: nobody hands out, reveals, rotates, re-enables or frees more power than they hold. And its counterpart: a key does not
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

/** When and from where a key may act. */
export interface Reach {
  readonly enabled: boolean
  readonly expiresAt: Date | null
  readonly allowedCidrs: readonly string[]
}

/** Whether a change lets a key act that could not, or for longer, or from where it could not. */
export function addsPower(before: Reach, after: Reach): boolean {
  const isWider = !covers(before.allowedCidrs, after.allowedCidrs)
  return (after.enabled && !before.enabled) || endOf(after) > endOf(before) || isWider
}

/**
 * Whether a change shuts out who uses the key: it could act at `now` and cannot any more, or not from everywhere it could. From where
 * the caller acts is not known here, so any address that is taken counts.
 */
export function shutsOut(before: Reach, after: Reach, now: Date): boolean {
  return (isLive(before, now) && !isLive(after, now)) || !covers(after.allowedCidrs, before.allowedCidrs)
}

/** Whether whoever remembers what the key may do must learn of the change. */
export function changesPower(before: Reach, after: Reach): boolean {
  const isElsewhere = before.allowedCidrs.join() !== after.allowedCidrs.join()
  return before.enabled !== after.enabled || endOf(before) !== endOf(after) || isElsewhere
}

export function isLive({ enabled, expiresAt }: Reach, now: Date): boolean {
  return enabled && (expiresAt === null || expiresAt > now)
}

function endOf({ expiresAt }: Reach): number {
  return expiresAt?.getTime() ?? Number.POSITIVE_INFINITY
}

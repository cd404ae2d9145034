import { commonProblems, type FieldError, Problem } from '@payments/contracts/grammar/problem'
import { lifetimeHoursDefault, lifetimeHoursMax } from '@payments/contracts/services/invite-to-pay/contract'

const [minuteMs, hourMs] = [60_000, 3_600_000]

interface Wanted {
  readonly expiresAt: Date | null
  readonly reminderAt: Date | null
}

export interface Lifetime {
  readonly expiresAt: Date
  readonly reminderAt: Date | null
}

/** The end of a revived code: in a day, within the greatest lifetime. Null when that is over. */
export function expiryAfterRevival(createdAt: Date, now: Date): Date | null {
  const endMs = Math.min(now.getTime() + lifetimeHoursDefault * hourMs, latestExpiry(createdAt).getTime())
  return endMs - now.getTime() < minuteMs ? null : new Date(endMs)
}

const defaultExpiry = (createdAt: Date): Date => new Date(createdAt.getTime() + lifetimeHoursDefault * hourMs)

const latestExpiry = (createdAt: Date): Date => new Date(createdAt.getTime() + lifetimeHoursMax * hourMs)

/**
 * The lifetime of a code. `changed`: the fields that the request gives; only they are compared with `now`. `pointer`
 * is the place of the fields in the body. Throws invalid_request.
 */
export function requireLifetime(
  wanted: Wanted,
  { createdAt, now, pointer = '', changed }: { createdAt: Date; now: Date; pointer?: string; changed: ChangedFields },
): Lifetime {
  const expiresAt = wanted.expiresAt ?? defaultExpiry(createdAt)
  const { reminderAt } = wanted
  const errors: FieldError[] = []
  const reject = (field: string, detail: string) => errors.push({ pointer: `${pointer}/${field}`, detail })
  if (changed.expiresAt) {
    if (expiresAt.getTime() - now.getTime() < minuteMs) reject('expires_at', 'must be at least 1 minute from now')
    if (expiresAt > latestExpiry(createdAt)) reject('expires_at', 'must be at most 70 days after the creation')
  }
  if (reminderAt !== null) {
    if (changed.reminderAt && reminderAt <= now) reject('reminder_at', 'must be in the future')
    const field = changed.reminderAt ? 'reminder_at' : 'expires_at'
    const detail = changed.reminderAt ? 'must be before the link expires' : 'must be after reminder_at'
    if (reminderAt >= expiresAt) reject(field, detail)
  }
  if (errors.length > 0) throw new Problem(commonProblems.invalid_request, { errors })
  return { expiresAt, reminderAt }
}

interface ChangedFields {
  readonly expiresAt: boolean
  readonly reminderAt: boolean
}

/**
 * The lifetime of an invitation that `checkInvitation` accepted before, within what is allowed by now. Without a
 * reminder that is over when its code is created.
 */
export function lifetimeOfInvitation(
  { expires_at: expires, reminder_at: reminder }: { expires_at: string | null; reminder_at: string | null },
  createdAt: Date,
): Lifetime {
  const wantedMs = expires === null ? defaultExpiry(createdAt).getTime() : Date.parse(expires)
  const expiresAt = new Date(Math.min(wantedMs, latestExpiry(createdAt).getTime()))
  const reminderAt = reminder === null ? null : new Date(reminder)
  const isDue = reminderAt !== null && reminderAt > createdAt && reminderAt < expiresAt
  return { expiresAt, reminderAt: isDue ? reminderAt : null }
}

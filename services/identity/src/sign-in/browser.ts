import type { Browser, PublicCaller } from '@payments/chassis/base/caller'
import { databaseNow } from '@payments/chassis/database/database-now'
import { formatAddressBlock, parseAddressBlock } from '@payments/contracts/grammar/cidr'
import type { PageCookie } from '@payments/contracts/grammar/contract'
import { parseSessionValue, sessionCookie } from '@payments/contracts/grammar/session-value'
import { signInCookie } from '@payments/contracts/services/identity/pages'
import type { Deps } from '../deps.ts'
import { endReasonDays, isLive, type SessionEnd, timeoutReason } from '../domain/session.ts'
import { isSecret, signInLifetimeMs } from '../domain/sign-in.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import type { Tx } from '../store/database.ts'
import { findEndReason, findSessionByIndexes, type SessionRow } from '../store/sessions.ts'

/** The gateway describes the browser at every endpoint with cookies. A request without it is a defect. */
export function requireBrowser({ browser }: PublicCaller): Browser {
  if (browser === undefined) throw new Error('the gateway described no browser')
  return browser
}

/** Throws SignInFailed for a page that another one loads as an image, a frame or the like: no person requested it. */
export function rejectEmbedded({ load }: Browser): void {
  if (load === 'embedded') throw new SignInFailed('embedded')
}

/** The subject of the limit of stored sign-ins: an IPv4 address, or the /64 of an IPv6 address. */
export function toAddressBlock({ address }: Browser): string {
  const block = address.includes(':') ? parseAddressBlock(`${address}/64`) : undefined
  return block === undefined ? address : formatAddressBlock(block)
}

/** The secret of the sign-in cookie. Null without one. */
export function findSignInSecret({ cookies }: Browser): string | null {
  const written = cookies[signInCookie]
  return isSecret(written) ? written : null
}

/** `Lax`: the browser sends the cookie with the redirect of the sign-in provider. */
export const createSignInCookie = (secret: string): PageCookie => ({
  name: signInCookie,
  value: secret,
  maxAgeSeconds: signInLifetimeMs / 1_000,
  sameSite: 'Lax',
})

/** The browser keeps the cookie after the session, and gets the reason of its end for it. */
export function createSessionCookie({ value, session }: { value: string; session: SessionRow }): PageCookie {
  const lifetimeMs = session.expiresAt.getTime() - session.createdAt.getTime() + endReasonDays * 86_400_000
  return { name: sessionCookie, value, maxAgeSeconds: Math.floor(lifetimeMs / 1_000), sameSite: 'Strict' }
}

const deleted = { value: '', maxAgeSeconds: 0 } as const
export const withoutSignIn: PageCookie = { ...deleted, name: signInCookie, sameSite: 'Lax' }
export const withoutSession: PageCookie = { ...deleted, name: sessionCookie, sameSite: 'Strict' }

type SessionDeps = Pick<Deps, 'environment' | 'sessionValues' | 'sessionLimits'>

/** The session of the browser, in a transaction across tenants. Null for one that ended, or none. */
export async function findLiveSession(tx: Tx, deps: SessionDeps, browser: Browser): Promise<SessionRow | null> {
  const session = await findStoredSession(tx, deps, browser)
  return session !== null && isLive(session, await databaseNow(tx), deps.sessionLimits.idleMs) ? session : null
}

/**
 * Why the session of the browser ended, in a transaction across tenants: the value proves that the reason is its own.
 * Null for a session that has not ended, or none.
 */
export async function findSessionEnd(tx: Tx, deps: SessionDeps, browser: Browser): Promise<SessionEnd | null> {
  const value = findSessionValue(deps, browser)
  if (value === null) return null
  const session = await findStoredSession(tx, deps, browser)
  if (session !== null) return timeoutReason(session, await databaseNow(tx), deps.sessionLimits.idleMs)
  return (await findEndReason(tx, deps.sessionValues.listIndexes(value))) ?? 'unknown'
}

/** The value of a session of this environment, which may have ended. */
function findSessionValue({ environment }: SessionDeps, { cookies }: Browser): string | null {
  const value = cookies[sessionCookie] ?? ''
  return parseSessionValue(value)?.environment === environment ? value : null
}

async function findStoredSession(tx: Tx, deps: SessionDeps, browser: Browser): Promise<SessionRow | null> {
  const value = findSessionValue(deps, browser)
  const session = value === null ? null : await findSessionByIndexes(tx, deps.sessionValues.listIndexes(value))
  return session?.kind === 'browser' ? session : null
}

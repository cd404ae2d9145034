import type { Browser, PublicCaller } from '@payments/chassis/base/caller'
import { databaseNow } from '@payments/chassis/database/database-now'
import { formatAddressBlock, parseAddressBlock } from '@payments/contracts/grammar/cidr'
import type { PageCookie } from '@payments/contracts/grammar/contract'
import { parseSessionValue, sessionCookie } from '@payments/contracts/grammar/session-value'
import { signInCookie } from '@payments/contracts/services/identity/pages'
import type { Deps } from '../deps.ts'
import { isLive } from '../domain/session.ts'
import { isSecret, signInLifetimeMs } from '../domain/sign-in.ts'
import type { Tx } from '../store/database.ts'
import { findSessionByIndexes, type SessionRow } from '../store/sessions.ts'

/** The gateway describes the browser at every endpoint with cookies. A request without it is a defect. */
export function browserOf({ browser }: PublicCaller): Browser {
  if (browser === undefined) throw new Error('the gateway described no browser')
  return browser
}

/** The subject of the limit of open sign-ins: an IPv4 address, or the /64 of an IPv6 address. */
export function addressBlockOf({ address }: Browser): string {
  const block = address.includes(':') ? parseAddressBlock(`${address}/64`) : undefined
  return block === undefined ? address : formatAddressBlock(block)
}

/** The secret of the sign-in cookie. Null without one. */
export function signInSecretOf({ cookies }: Browser): string | null {
  const written = cookies[signInCookie]
  return isSecret(written) ? written : null
}

/** `Lax`: the browser sends the cookie with the redirect of the sign-in provider. */
export const signInCookieOf = (secret: string): PageCookie => ({
  name: signInCookie,
  value: secret,
  maxAgeSeconds: signInLifetimeMs / 1_000,
  sameSite: 'Lax',
})

/** The browser drops the cookie when the session ends. */
export function sessionCookieOf({ value, session }: { value: string; session: SessionRow }): PageCookie {
  const lifetimeMs = session.expiresAt.getTime() - session.createdAt.getTime()
  return { name: sessionCookie, value, maxAgeSeconds: Math.floor(lifetimeMs / 1_000), sameSite: 'Strict' }
}

const deleted = { value: '', maxAgeSeconds: 0 } as const
export const withoutSignIn: PageCookie = { ...deleted, name: signInCookie, sameSite: 'Lax' }
export const withoutSession: PageCookie = { ...deleted, name: sessionCookie, sameSite: 'Strict' }

/** Whether the browser has the value of a session, which may have ended. */
export const hasSessionValue = (
  { environment }: Pick<Deps, 'environment'>,
  { cookies }: Pick<Browser, 'cookies'>,
): boolean => parseSessionValue(cookies[sessionCookie] ?? '')?.environment === environment

/** The session of the browser, in a transaction across tenants. Null for one that ended, or none. */
export async function sessionOf(
  tx: Tx,
  deps: Pick<Deps, 'environment' | 'sessionValues' | 'sessionLimits'>,
  { cookies }: Browser,
): Promise<SessionRow | null> {
  const value = cookies[sessionCookie] ?? ''
  if (!hasSessionValue(deps, { cookies })) return null
  const session = await findSessionByIndexes(tx, deps.sessionValues.indexesOf(value))
  if (session === null || session.kind !== 'browser') return null
  return isLive(session, await databaseNow(tx), deps.sessionLimits.idleMs) ? session : null
}

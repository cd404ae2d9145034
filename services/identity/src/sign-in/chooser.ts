import type { Browser } from '@payments/chassis/base/caller'
import { id as idForm } from '@payments/contracts/grammar/field'
import type { Deps } from '../deps.ts'
import { consolePath, hashSecret } from '../domain/sign-in.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import { pathToSignIn } from '../pages/paths.ts'
import { findSignIn, type SignInRow } from '../store/sign-ins.ts'
import { findUser, findUserBySubject } from '../store/users.ts'
import { findLiveSession, findSignInSecret } from './browser.ts'
import type { SignedInPerson, SignInProvider } from './providers.ts'
import { decryptPerson } from './stored-person.ts'

/** A person who chooses a tenant: after the proof of a sign-in, or in a session. */
export interface Chooser {
  /** The sign-in that proved the person. Null in a session. */
  readonly proof: { readonly row: SignInRow; readonly person: SignedInPerson } | null
  /** Null for a person who is new. */
  readonly userId: string | null
  readonly name: string | null
  readonly email: string | null
  readonly provider: SignInProvider
  /** The tenant of the session, or of the page that requested the sign-in. */
  readonly tenantId: string | null
}

type ChooserDeps = Pick<Deps, 'db' | 'vault' | 'providers' | 'environment' | 'sessionValues' | 'sessionLimits'>

/** The person of a browser, or where it is led: there is nothing to choose. Throws SignInFailed. */
export function resolveChooser(
  deps: ChooserDeps,
  browser: Browser,
  signInId: string | undefined,
): Promise<Chooser | { readonly location: string }> {
  return signInId === undefined ? resolveBySession(deps, browser) : resolveBySignIn(deps, browser, signInId)
}

async function resolveBySession(deps: ChooserDeps, browser: Browser): Promise<Chooser | { location: string }> {
  const found = await deps.db.acrossTenants(async (tx) => {
    const session = await findLiveSession(tx, deps, browser)
    return session === null ? null : { session, user: await findUser(tx, session.userId) }
  })
  const provider = deps.providers.find(found?.session.providerId ?? '')
  if (found === null || provider === undefined) return { location: pathToSignIn({}) }
  const { session, user } = found
  const { userId, tenantId } = session
  return { proof: null, userId, name: user?.name ?? null, email: user?.email ?? null, provider, tenantId }
}

async function resolveBySignIn(
  deps: ChooserDeps,
  browser: Browser,
  signInId: string,
): Promise<Chooser | { location: string }> {
  const id = idForm.safeParse(signInId)
  if (!id.success) throw new SignInFailed('unreadable')
  const secret = findSignInSecret(browser)
  const row = secret === null ? null : await deps.db.acrossTenants((tx) => findSignIn(tx, id.data, hashSecret(secret)))
  if (row !== null && row.sessionId !== null) return { location: row.returnTo ?? consolePath }
  if (row === null || row.personEncrypted === null) throw new SignInFailed('not_open')
  const provider = deps.providers.find(row.providerId ?? '')
  if (provider === undefined) throw new SignInFailed('provider_unavailable')
  const person = await decryptPerson(deps, row.id, row.personEncrypted)
  const user = await deps.db.acrossTenants((tx) => findUserBySubject(tx, person.issuer, person.subject))
  const { name, verifiedEmail: email } = person
  return { proof: { row, person }, userId: user?.id ?? null, name, email, provider, tenantId: row.tenantId }
}

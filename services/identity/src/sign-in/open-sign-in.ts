import type { Browser } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { databaseNow } from '@payments/chassis/database/database-now'
import type { PageCookie } from '@payments/contracts/grammar/contract'
import type { Deps } from '../deps.ts'
import { hashSecret, maxAgeSeconds, newSecret, signInLifetimeMs, verifierBinding } from '../domain/sign-in.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import type { Tx } from '../store/database.ts'
import { evictExcess, insertSignIn, type SignInInsert } from '../store/sign-ins.ts'
import { createSignInCookie, findSignInSecret, toAddressBlock } from './browser.ts'
import { ProviderUnavailable, type SignInProvider } from './providers.ts'

type SignInDeps = Pick<Deps, 'db' | 'vault'>

export interface NewSignIn {
  readonly provider: SignInProvider
  readonly browser: Browser
  readonly purpose: 'sign_in' | 'step_up'
  readonly returnTo: string | null
  readonly invitationId: string | null
  /** The tenant of the page that requests the sign-in. */
  readonly tenantId: string | null
  /** As in an arrival. */
  readonly replacedSessionId: string | null
  readonly loginHint?: string | undefined
}

export interface OpenedSignIn {
  /** The authorization endpoint of the provider. */
  readonly location: string
  readonly cookie: PageCookie
}

/** Stores a sign-in that the callback of the provider completes. Throws SignInFailed. */
export async function openSignIn(deps: SignInDeps, signIn: NewSignIn): Promise<OpenedSignIn> {
  const { provider, browser, purpose, loginHint, returnTo, invitationId, tenantId, replacedSessionId } = signIn
  const [id, state, nonce, verifier] = [newId(), newSecret(), newSecret(), newSecret()]
  const location = await authorizationUrl(provider, {
    state,
    nonce,
    verifier,
    maxAgeSeconds: purpose === 'step_up' ? 0 : maxAgeSeconds,
    loginHint,
  })
  const verifierEncrypted = await deps.vault.encrypt(verifierBinding(id), verifier)
  const stateHash = hashSecret(state)
  const cookie = await deps.db.acrossTenants((tx) =>
    store(tx, browser, {
      ...{ id, purpose, providerId: provider.id, nonce, stateHash, verifierEncrypted },
      ...{ returnTo, invitationId, tenantId, replacedSessionId },
    }),
  )
  return { location, cookie }
}

/** Stores that the browser opened an invitation, before the person chooses a provider. The id is for the next page. */
export async function bindInvitation(
  tx: Tx,
  browser: Browser,
  invitationId: string,
): Promise<{ readonly id: string; readonly cookie: PageCookie }> {
  const none = { providerId: null, nonce: null, stateHash: null, verifierEncrypted: null, returnTo: null }
  const id = newId()
  const row = { ...none, id, purpose: 'accept', invitationId, tenantId: null, replacedSessionId: null } as const
  return { id, cookie: await store(tx, browser, row) }
}

/**
 * A browser retains its secret while it has sign-ins, so that each of its tabs can complete one. No script and no other
 * site can set the cookie, because of its prefix.
 */
async function store(
  tx: Tx,
  browser: Browser,
  signIn: Omit<SignInInsert, 'browserHash' | 'address' | 'expiresAt'>,
): Promise<PageCookie> {
  const secret = findSignInSecret(browser) ?? newSecret()
  const owner = { browserHash: hashSecret(secret), address: toAddressBlock(browser) }
  await evictExcess(tx, owner)
  const expiresAt = new Date((await databaseNow(tx)).getTime() + signInLifetimeMs)
  await insertSignIn(tx, { ...signIn, ...owner, expiresAt })
  return createSignInCookie(secret)
}

async function authorizationUrl(
  provider: SignInProvider,
  request: Parameters<SignInProvider['authorizationUrl']>[0],
): Promise<string> {
  try {
    return await provider.authorizationUrl(request)
  } catch (error) {
    if (error instanceof ProviderUnavailable) throw new SignInFailed('provider_unavailable', { cause: error })
    throw error
  }
}

import type { Browser } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { databaseNow } from '@payments/chassis/database/database-now'
import type { PageCookie } from '@payments/contracts/grammar/contract'
import type { Deps } from '../deps.ts'
import {
  maxAgeSeconds,
  newSecret,
  openSignInsMax,
  secretHashOf,
  signInLifetimeMs,
  verifierBinding,
} from '../domain/sign-in.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import type { Tx } from '../store/database.ts'
import { countOpenOfAddress, insertSignIn, type SignInInsert } from '../store/sign-ins.ts'
import { addressBlockOf, signInCookieOf, signInSecretOf } from './browser.ts'
import { ProviderUnavailable, type SignInProvider } from './providers.ts'

type SignInDeps = Pick<Deps, 'db' | 'vault'>

export interface NewSignIn {
  readonly provider: SignInProvider
  readonly browser: Browser
  readonly purpose: 'sign_in' | 'step_up'
  readonly returnTo: string | null
  readonly invitationId: string | null
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
  const { provider, browser, purpose, loginHint, returnTo, invitationId, replacedSessionId } = signIn
  const [id, state, nonce, verifier] = [newId(), newSecret(), newSecret(), newSecret()]
  const location = await authorizationUrl(provider, {
    state,
    nonce,
    verifier,
    maxAgeSeconds: purpose === 'step_up' ? 0 : maxAgeSeconds,
    loginHint,
  })
  const verifierEncrypted = await deps.vault.encrypt(verifierBinding(id), verifier)
  const stateHash = secretHashOf(state)
  const cookie = await deps.db.acrossTenants((tx) =>
    store(tx, browser, {
      ...{ id, purpose, providerId: provider.id, nonce, stateHash, verifierEncrypted },
      ...{ returnTo, invitationId, replacedSessionId },
    }),
  )
  return { location, cookie }
}

/** Stores which link of an invitation the browser opened, before the person chooses a provider. Throws SignInFailed. */
export function bindInvitation(tx: Tx, browser: Browser, invitationId: string): Promise<PageCookie> {
  const none = { providerId: null, nonce: null, stateHash: null, verifierEncrypted: null, returnTo: null }
  return store(tx, browser, { ...none, id: newId(), purpose: 'accept', invitationId, replacedSessionId: null })
}

/**
 * A browser retains its secret while it has sign-ins in progress, so that each of its tabs can complete one. No script
 * and no other site can set the cookie, because of its prefix.
 */
async function store(
  tx: Tx,
  browser: Browser,
  signIn: Omit<SignInInsert, 'browserHash' | 'address' | 'expiresAt'>,
): Promise<PageCookie> {
  const address = addressBlockOf(browser)
  if ((await countOpenOfAddress(tx, address)) >= openSignInsMax) throw new SignInFailed('too_many')
  const secret = signInSecretOf(browser) ?? newSecret()
  const expiresAt = new Date((await databaseNow(tx)).getTime() + signInLifetimeMs)
  await insertSignIn(tx, { ...signIn, browserHash: secretHashOf(secret), address, expiresAt })
  return signInCookieOf(secret)
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

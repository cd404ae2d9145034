import type { Browser } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { databaseNow } from '@payments/chassis/database/database-now'
import type { PageCookie, PageReply } from '@payments/contracts/grammar/contract'
import type { Deps } from '../deps.ts'
import { hashSecret, maxAgeSeconds, newSecret, signInLifetimeMs, verifierBinding } from '../domain/sign-in.ts'
import { redirect } from '../pages/page.ts'
import { pathToSignIn } from '../pages/paths.ts'
import type { Tx } from '../store/database.ts'
import { evictExcess, insertSignIn, type SignInInsert } from '../store/sign-ins.ts'
import { createSignInCookie, findSignInSecret, toAddressBlock } from './browser.ts'
import type { SignInProvider } from './providers.ts'

interface NewSignIn {
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

/** Stores a sign-in that the callback of the provider completes, and leads to the provider. Throws SignInFailed. */
export async function openSignIn(deps: Pick<Deps, 'db' | 'vault'>, signIn: NewSignIn): Promise<PageReply> {
  const { provider, browser, purpose, loginHint, returnTo, invitationId, tenantId, replacedSessionId } = signIn
  const [id, state, nonce, verifier] = [newId(), newSecret(), newSecret(), newSecret()]
  const location = await provider.authorizationUrl({
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
  return { ...redirect(location), cookies: [cookie] }
}

/** Stores that the browser opened an invitation, and leads to the choice of a provider. */
export async function bindInvitation(tx: Tx, browser: Browser, invitationId: string): Promise<PageReply> {
  const none = { providerId: null, nonce: null, stateHash: null, verifierEncrypted: null, returnTo: null }
  const id = newId()
  const row = { ...none, id, purpose: 'accept', invitationId, tenantId: null, replacedSessionId: null } as const
  return { ...redirect(pathToSignIn({ invitation: id })), cookies: [await store(tx, browser, row)] }
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

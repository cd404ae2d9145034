import type { Browser, PublicCaller } from '@payments/chassis/base/caller'
import type { PageReply } from '@payments/contracts/grammar/contract'
import type { Deps } from '../deps.ts'
import {
  callbackPathOf,
  consolePath,
  isSecret,
  maxAgeSeconds,
  secretHashOf,
  verifierBinding,
} from '../domain/sign-in.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import { redirect } from '../pages/page.ts'
import { withFailurePage } from '../pages/reply-to-failure.ts'
import { signIn, stepUp } from '../sign-in/admit.ts'
import { browserOf, sessionCookieOf, sessionOf, signInSecretOf, withoutSignIn } from '../sign-in/browser.ts'
import { ProviderUnavailable, type SignedInPerson, type SignInProvider, SignInRejected } from '../sign-in/providers.ts'
import { tenantFactsOf } from '../sign-in/tenant-facts.ts'
import { findSessionById } from '../store/sessions.ts'
import { deleteOfBrowser, hasState, type SignInRow, takeSignIn } from '../store/sign-ins.ts'

interface CallbackQuery {
  readonly code?: string | undefined
  readonly state?: string | undefined
  readonly iss?: string | undefined
  readonly error?: string | undefined
  readonly error_description?: string | undefined
}

/**
 * Takes the sign-in in a transaction of its own, so a callback works once. After the exchange at the provider, one
 * transaction creates everything or nothing.
 */
export async function completeSignIn(
  deps: Deps,
  caller: PublicCaller,
  providerId: string,
  query: CallbackQuery,
): Promise<PageReply> {
  const browser = browserOf(caller)
  const { traceId } = caller
  const step = {
    operation: 'completeSignIn',
    traceId,
    returnTo: null as string | null,
    providerId: null as string | null,
  }
  return withFailurePage(deps, step, async () => {
    const { row, secret, state } = await take(deps, browser, query.state)
    step.returnTo = row.returnTo
    step.providerId = row.providerId
    requireSameProvider(row, providerId)
    const provider = deps.providers.find(providerId)
    if (provider === undefined) throw new SignInFailed('provider_unavailable')
    const person = await personOf(deps, provider, row, urlOf(deps, providerId, { ...query, state }))
    const { purpose, invitationId } = row
    const tenantId = purpose === 'step_up' ? await tenantOfStepUp(deps, person, row) : null
    const facts = await tenantFactsOf(deps, { person, provider, invitationId, tenantId, traceId })
    const created = await deps.db.acrossTenants(async (tx) => {
      const replacedSessionId = row.replacedSessionId ?? (await sessionOf(tx, deps, browser))?.id ?? null
      const arrival = { person, provider, browser, invitationId, replacedSessionId, traceId }
      await deleteOfBrowser(tx, secretHashOf(secret))
      return purpose === 'step_up' ? stepUp(tx, deps, arrival, facts) : signIn(tx, deps, arrival, facts)
    })
    const { tenantId: enteredId, userId } = created.session
    caller.recordTenant(enteredId, { type: 'user', id: userId })
    return {
      ...redirect(row.returnTo ?? consolePath),
      cookies: [sessionCookieOf(created), withoutSignIn],
    }
  })
}

/** Throws SignInFailed for another person than that of the session. */
async function tenantOfStepUp(deps: Deps, person: SignedInPerson, { replacedSessionId }: SignInRow): Promise<string> {
  if (replacedSessionId === null) throw new Error('a step-up has a session')
  const session = await deps.db.acrossTenants((tx) => findSessionById(tx, replacedSessionId))
  if (session === null) throw new SignInFailed('session_ended')
  if (session.issuer !== person.issuer || session.subject !== person.subject) throw new SignInFailed('other_person')
  return session.tenantId
}

async function take(deps: Deps, browser: Browser, state: string | undefined) {
  const secret = signInSecretOf(browser)
  if (!isSecret(state)) throw new SignInFailed('invalid', { cause: new Error('no state, or a malformed one') })
  const stateHash = secretHashOf(state)
  const row =
    secret === null
      ? null
      : await deps.db.acrossTenants((tx) => takeSignIn(tx, { stateHash, browserHash: secretHashOf(secret) }))
  if (row !== null && secret !== null) return { row, secret, state }
  if (secret === null) throw new SignInFailed('other_browser', { cause: new Error('no cookie') })
  const exists = await deps.db.acrossTenants((tx) => hasState(tx, stateHash))
  throw new SignInFailed('not_open', { cause: new Error(exists ? 'expired, or of another browser' : 'unknown state') })
}

/**
 * Mix-up attack (RFC 9700, 4.4): a hostile provider leads the person to another one, with the parameters of a sign-in
 * at the hostile one. The code would be sent to the hostile provider. The redirect URI says whose code it is.
 */
function requireSameProvider(row: SignInRow, providerId: string): void {
  if (row.providerId === providerId) return
  throw new SignInFailed('invalid', { cause: new Error('the redirect URI is that of another provider') })
}

/** The callback as the provider sent it: `openid-client` reads the parameters. */
function urlOf({ consoleOrigin }: Deps, providerId: string, query: CallbackQuery): URL {
  const url = new URL(callbackPathOf(providerId), consoleOrigin)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value)
  return url
}

async function personOf(deps: Deps, provider: SignInProvider, row: SignInRow, url: URL): Promise<SignedInPerson> {
  const { id, nonce, verifierEncrypted, purpose } = row
  if (nonce === null || verifierEncrypted === null) throw new Error('a sign-in with a state has a nonce and a verifier')
  const verifier = await deps.vault.decrypt(verifierBinding(id), verifierEncrypted)
  const state = url.searchParams.get('state') ?? ''
  try {
    const expected = { state, nonce, verifier, maxAgeSeconds: purpose === 'step_up' ? 0 : maxAgeSeconds }
    return await provider.complete({ url, ...expected })
  } catch (error) {
    if (error instanceof ProviderUnavailable) throw new SignInFailed('provider_unavailable', { cause: error })
    if (error instanceof SignInRejected) throw new SignInFailed(error.reason, { cause: error })
    throw error
  }
}

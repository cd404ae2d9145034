import type { Browser, PublicCaller } from '@payments/chassis/base/caller'
import { databaseNow } from '@payments/chassis/database/database-now'
import type { PageReply, RequestOf } from '@payments/contracts/grammar/contract'
import type { identityContract } from '@payments/contracts/services/identity/contract'
import type { Deps } from '../deps.ts'
import { isLive } from '../domain/session.ts'
import { callbackPath, consolePath, hashSecret, isSecret, maxAgeSeconds, verifierBinding } from '../domain/sign-in.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import { redirect } from '../pages/page.ts'
import { pathToTenantChoice } from '../pages/paths.ts'
import { findLiveSession, findSignInSecret, rejectEmbedded } from '../sign-in/browser.ts'
import { enter } from '../sign-in/enter.ts'
import type { SignedInPerson, SignInProvider } from '../sign-in/providers.ts'
import { type FailedStep, withFailurePage } from '../sign-in/reply-to-failure.ts'
import type { Tx } from '../store/database.ts'
import { findSessionById } from '../store/sessions.ts'
import { findOpenedLink, findUsedSignIn, isOpenElsewhere, type SignInRow, takeSignIn } from '../store/sign-ins.ts'

type CallbackQuery = RequestOf<typeof identityContract.endpoints.completeSignIn>['query']

/**
 * Takes the sign-in in a separate transaction, so a callback works once. After the call of the provider, one
 * transaction creates everything or nothing. A callback that is loaded again leads to the outcome of the first.
 */
export async function completeSignIn(
  deps: Deps,
  caller: PublicCaller,
  providerId: string,
  query: CallbackQuery,
): Promise<PageReply> {
  const step: FailedStep = { operation: 'completeSignIn' }
  return withFailurePage(deps, caller, step, async (browser) => {
    rejectEmbedded(browser)
    const taken = await take(deps, browser, query.state)
    if ('location' in taken) return redirect(taken.location)
    const { row, state } = taken
    step.target = await buildRetryTarget(deps, row)
    step.providerId = row.providerId
    requireSameProvider(row, providerId)
    const provider = deps.providers.find(providerId)
    if (provider === undefined) throw new SignInFailed('provider_unavailable')
    const url = buildCallbackUrl(deps, providerId, { ...query, state })
    const person = await completeAtProvider(deps, provider, { row, state, url })
    if (row.purpose === 'step_up') await requireSamePerson(deps, person, row)
    return enter(deps, caller, row, { person, provider, invitationId: row.invitationId, tenantId: row.tenantId })
  })
}

/** The parameters of the sign-in when it begins again. The opened link of an invitation lasts until it is accepted. */
async function buildRetryTarget({ db }: Deps, { browserHash, returnTo, tenantId, invitationId, purpose }: SignInRow) {
  if (invitationId === null) return { returnTo, tenantId, isStepUp: purpose === 'step_up' }
  const invitation = await db.acrossTenants((tx) => findOpenedLink(tx, { browserHash, invitationId }))
  return { returnTo, tenantId, invitation }
}

/** Throws SignInFailed unless it is the person of the session. */
async function requireSamePerson(deps: Deps, person: SignedInPerson, { replacedSessionId }: SignInRow): Promise<void> {
  if (replacedSessionId === null) throw new Error('a step-up has a session')
  const session = await deps.db.acrossTenants((tx) => findSessionById(tx, replacedSessionId))
  if (session === null) throw new SignInFailed('session_ended')
  if (session.issuer !== person.issuer || session.subject !== person.subject) throw new SignInFailed('other_person')
}

type Taken = { readonly row: SignInRow; readonly state: string } | { readonly location: string }

async function take(deps: Deps, browser: Browser, state: string | undefined): Promise<Taken> {
  if (!isSecret(state)) throw new SignInFailed('invalid', 'no state, or a malformed one')
  const stateHash = hashSecret(state)
  const secret = findSignInSecret(browser)
  return deps.db.acrossTenants(async (tx) => {
    const secrets = secret === null ? null : { stateHash, browserHash: hashSecret(secret) }
    const row = secrets === null ? null : await takeSignIn(tx, secrets)
    if (row !== null) return { row, state }
    const used = secrets === null ? null : await findUsedSignIn(tx, secrets)
    const location = used === null ? null : await findDestination(tx, deps, used)
    if (location !== null) return { location }
    if ((await findLiveSession(tx, deps, browser)) !== null) return { location: consolePath }
    if (await isOpenElsewhere(tx, stateHash, secrets?.browserHash ?? null)) {
      throw new SignInFailed('other_browser', secret === null ? 'no cookie' : 'the cookie of another browser')
    }
    throw new SignInFailed('not_open', used === null ? 'unknown or expired state' : 'used state')
  })
}

/** Where a sign-in whose state was used has led to. Null while it is not completed, and after it failed. */
async function findDestination(tx: Tx, deps: Deps, used: SignInRow): Promise<string | null> {
  if (used.personEncrypted !== null && used.expiresAt > (await databaseNow(tx))) return pathToTenantChoice(used.id)
  const session = used.sessionId === null ? null : await findSessionById(tx, used.sessionId)
  if (session === null || !isLive(session, await databaseNow(tx), deps.sessionLimits.idleMs)) return null
  return used.returnTo ?? consolePath
}

/**
 * Mix-up attack (RFC 9700, 4.4): a hostile provider leads the person to another one, with the parameters of a sign-in
 * at the hostile one. The code would be sent to the hostile provider. The redirect URI says whose code it is.
 */
function requireSameProvider(row: SignInRow, providerId: string): void {
  if (row.providerId === providerId) return
  throw new SignInFailed('invalid', 'the redirect URI belongs to another provider')
}

/** The callback as the provider sent it: `openid-client` reads the parameters. */
function buildCallbackUrl({ consoleOrigin }: Deps, providerId: string, query: CallbackQuery): URL {
  const url = new URL(callbackPath(providerId), consoleOrigin)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value)
  return url
}

async function completeAtProvider(
  deps: Deps,
  provider: SignInProvider,
  { row, state, url }: { readonly row: SignInRow; readonly state: string; readonly url: URL },
): Promise<SignedInPerson> {
  const { id, nonce, verifierEncrypted, purpose } = row
  if (nonce === null || verifierEncrypted === null) throw new Error('a sign-in with a state has a nonce and a verifier')
  const verifier = await deps.vault.decrypt(verifierBinding(id), verifierEncrypted)
  const expected = { state, nonce, verifier, maxAgeSeconds: purpose === 'step_up' ? 0 : maxAgeSeconds }
  return provider.complete({ url, ...expected })
}

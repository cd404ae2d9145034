import type { PublicCaller } from '@payments/chassis/base/caller'
import { databaseNow } from '@payments/chassis/database/database-now'
import type { PageReply } from '@payments/contracts/grammar/contract'
import type { Deps } from '../deps.ts'
import { consolePath, signInLifetimeMs } from '../domain/sign-in.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import { redirect } from '../pages/page.ts'
import { pathToTenantChoice } from '../pages/paths.ts'
import {
  completeSignIn,
  findSignIn,
  followSession,
  lockBrowser,
  type SignInRow,
  storePerson,
} from '../store/sign-ins.ts'
import type { Arrival } from './arrival.ts'
import {
  createSessionCookie,
  createSignInCookie,
  findLiveSession,
  findSignInSecret,
  requireBrowser,
} from './browser.ts'
import { signIn, stepUp } from './enter-tenant.ts'
import { encryptPerson } from './stored-person.ts'
import { readTenantFacts } from './tenant-facts.ts'

type Proven = Pick<Arrival, 'person' | 'provider' | 'invitationId' | 'tenantId'>

/**
 * Signs a person in who proved their identity in the sign-in `row`, and leads them to the page that requested it. A
 * person who must choose a tenant first is led to the choice. Throws SignInFailed.
 */
export async function enter(deps: Deps, caller: PublicCaller, row: SignInRow, proven: Proven): Promise<PageReply> {
  const browser = requireBrowser(caller)
  const { traceId } = caller
  const facts = await readTenantFacts(deps, { ...proven, traceId })
  const created = await deps.db.acrossTenants(async (tx) => {
    await lockBrowser(tx, row.browserHash)
    const stored = await findSignIn(tx, row.id, row.browserHash)
    if (stored === null) throw new SignInFailed('not_open', 'signed out, or evicted')
    // Another request with the same choice was first.
    if (stored.sessionId !== null) return { isCompleted: true } as const
    const replacedSessionId = row.replacedSessionId ?? (await findLiveSession(tx, deps, browser))?.id ?? null
    const arrival = { ...proven, browser, replacedSessionId, traceId }
    const entered = await (row.purpose === 'step_up' ? stepUp : signIn)(tx, deps, arrival, facts)
    if (entered === null) return null
    const { id: sessionId } = entered.session
    await completeSignIn(tx, { ...row, invitationId: proven.invitationId }, sessionId)
    await followSession(tx, { browserHash: row.browserHash, previousId: replacedSessionId, sessionId })
    return entered
  })
  if (created === null) return offerTenantChoice(deps, caller, row, proven)
  const reply = redirect(row.returnTo ?? consolePath)
  if ('isCompleted' in created) return reply
  const { tenantId, userId } = created.session
  caller.recordTenant(tenantId, { type: 'user', id: userId })
  return { ...reply, cookies: [createSessionCookie(created)] }
}

/** The browser has as long for the choice as for the sign-in. */
async function offerTenantChoice(
  deps: Deps,
  caller: PublicCaller,
  row: SignInRow,
  { person }: Proven,
): Promise<PageReply> {
  const personEncrypted = await encryptPerson(deps, row.id, person)
  await deps.db.acrossTenants(async (tx) => {
    const expiresAt = new Date((await databaseNow(tx)).getTime() + signInLifetimeMs)
    await storePerson(tx, row.id, { personEncrypted, expiresAt })
  })
  const secret = findSignInSecret(requireBrowser(caller))
  const cookies = secret === null ? [] : [createSignInCookie(secret)]
  return { ...redirect(pathToTenantChoice(row.id)), cookies }
}

import type { Browser, PublicCaller } from '@payments/chassis/base/caller'
import { databaseNow } from '@payments/chassis/database/database-now'
import type { PageReply } from '@payments/contracts/grammar/contract'
import type { Deps } from '../deps.ts'
import { acceptsInvitation } from '../domain/admission.ts'
import type { SessionEnd } from '../domain/session.ts'
import { returnToOf, secretHashOf } from '../domain/sign-in.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import { statusAt } from '../domain/user-invitation.ts'
import { chooseProviderPage } from '../pages/choose-provider.ts'
import { redirect, renderPage } from '../pages/page.ts'
import { withFailurePage } from '../pages/reply-to-failure.ts'
import { browserOf, endOfSession, sessionOf, signInSecretOf } from '../sign-in/browser.ts'
import { openSignIn } from '../sign-in/open-sign-in.ts'
import { tenantNameOf } from '../sign-in/tenant-facts.ts'
import type { Tx } from '../store/database.ts'
import { findInvitationOfBrowser } from '../store/sign-ins.ts'
import { findInvitationById, type InvitationRow } from '../store/user-invitations.ts'

interface SignInQuery {
  readonly provider?: string | undefined
  readonly return_to?: string | undefined
}

/** Without a provider, the page that lists them. A malformed `return_to` is ignored. */
export function beginSignIn(deps: Deps, caller: PublicCaller, query: SignInQuery): Promise<PageReply> {
  const browser = browserOf(caller)
  const returnTo = returnToOf(query.return_to)
  const { traceId } = caller
  const step = { operation: 'beginSignIn', traceId, returnTo, providerId: query.provider ?? null }
  return withFailurePage(deps, step, async () => {
    const { invitation, replacedSessionId, sessionEnd } = await deps.db.acrossTenants(async (tx) => ({
      invitation: await boundInvitation(tx, browser),
      replacedSessionId: (await sessionOf(tx, deps, browser))?.id ?? null,
      sessionEnd: query.provider === undefined ? await endOfSession(tx, deps, browser) : null,
    }))
    if (query.provider === undefined) return choosePage(deps, { returnTo, sessionEnd, invitation, traceId })
    const provider = deps.providers.find(query.provider)
    if (provider === undefined) throw new SignInFailed('unknown_provider')
    const invitationId = invitation !== null && acceptsInvitation(provider, invitation) ? invitation.id : null
    const signIn = { provider, browser, purpose: 'sign_in', returnTo, invitationId, replacedSessionId } as const
    const { location, cookie } = await openSignIn(deps, signIn)
    return { ...redirect(location), cookies: [cookie] }
  })
}

/** The open invitation whose link this browser opened. */
async function boundInvitation(tx: Tx, browser: Browser): Promise<InvitationRow | null> {
  const secret = signInSecretOf(browser)
  const id = secret === null ? null : await findInvitationOfBrowser(tx, secretHashOf(secret))
  const invitation = id === null ? null : await findInvitationById(tx, id)
  return invitation !== null && statusAt(invitation, await databaseNow(tx)) === 'open' ? invitation : null
}

interface Choice {
  readonly returnTo: string | null
  readonly sessionEnd: SessionEnd | null
  readonly invitation: InvitationRow | null
  readonly traceId: string
}

async function choosePage(deps: Deps, { invitation, traceId, ...choice }: Choice): Promise<PageReply> {
  const { environment, providers } = deps
  if (invitation === null) {
    return renderPage(environment, chooseProviderPage({ ...choice, providers: providers.list, invitation }))
  }
  const accepting = providers.list.filter((provider) => acceptsInvitation(provider, invitation))
  const tenantName = await tenantNameOf(deps, invitation.tenantId, traceId)
  const shown = { tenantName, email: invitation.email }
  return renderPage(environment, chooseProviderPage({ ...choice, providers: accepting, invitation: shown }))
}

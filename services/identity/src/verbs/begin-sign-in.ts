import type { Browser, PublicCaller } from '@payments/chassis/base/caller'
import { databaseNow } from '@payments/chassis/database/database-now'
import type { PageReply, RequestOf } from '@payments/contracts/grammar/contract'
import { id as idForm } from '@payments/contracts/grammar/field'
import type { identityContract } from '@payments/contracts/services/identity/contract'
import type { Deps } from '../deps.ts'
import { acceptsInvitation } from '../domain/admission.ts'
import type { SessionEnd } from '../domain/session.ts'
import { consolePath, hashSecret, readReturnTo } from '../domain/sign-in.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import { statusAt } from '../domain/user-invitation.ts'
import { chooseProviderPage } from '../pages/choose-provider.ts'
import { redirect, renderPage } from '../pages/page.ts'
import type { SignInTarget } from '../pages/paths.ts'
import { findLiveSession, findSessionEnd, findSignInSecret, rejectEmbedded } from '../sign-in/browser.ts'
import { openSignIn } from '../sign-in/open-sign-in.ts'
import { withFailurePage } from '../sign-in/reply-to-failure.ts'
import type { Tx } from '../store/database.ts'
import { findSignIn } from '../store/sign-ins.ts'
import { findInvitationById, type InvitationRow } from '../store/user-invitations.ts'
import { originForPage } from '../user-invitation/invitation-origin.ts'

type SignInQuery = RequestOf<typeof identityContract.endpoints.beginSignIn>['query']

/**
 * Without a provider, the page that lists them; a browser with a session is led to where it wants to go. A link of
 * another site gets the page, too: only a person who sees it begins a sign-in. Malformed parameters are ignored.
 */
export function beginSignIn(deps: Deps, caller: PublicCaller, query: SignInQuery): Promise<PageReply> {
  const target = {
    returnTo: readReturnTo(query.return_to),
    tenantId: idForm.safeParse(query.tenant_id).data ?? null,
    invitation: idForm.safeParse(query.invitation).data ?? null,
  }
  const { returnTo, tenantId } = target
  const step = { operation: 'beginSignIn', target, providerId: query.provider ?? null }
  return withFailurePage(deps, caller, step, async (browser) => {
    rejectEmbedded(browser)
    const { invitation, session, sessionEnd } = await deps.db.acrossTenants(async (tx) => ({
      invitation: target.invitation === null ? null : await boundInvitation(tx, browser, target.invitation),
      session: await findLiveSession(tx, deps, browser),
      sessionEnd: query.provider === undefined ? await findSessionEnd(tx, deps, browser) : null,
    }))
    if (query.provider === undefined || browser.load === 'foreign_link') {
      const isThere = session !== null && invitation === null && [null, session.tenantId].includes(tenantId)
      if (isThere) return redirect(returnTo ?? consolePath)
      return choosePage(deps, { target, sessionEnd, invitation, traceId: caller.traceId })
    }
    const provider = deps.providers.find(query.provider)
    if (provider === undefined) throw new SignInFailed('unknown_provider')
    const invitationId = invitation !== null && acceptsInvitation(provider, invitation) ? invitation.id : null
    return openSignIn(deps, {
      ...{ provider, browser, purpose: 'sign_in', returnTo, tenantId, invitationId },
      replacedSessionId: session?.id ?? null,
    })
  })
}

/**
 * The open invitation that this browser opened, by its link or in a session. Null for an accepted one. Throws
 * SignInFailed where it has ended since: without it, the person would not be a member of a tenant.
 */
async function boundInvitation(tx: Tx, browser: Browser, id: string): Promise<InvitationRow | null> {
  const secret = findSignInSecret(browser)
  const opened = secret === null ? null : await findSignIn(tx, id, hashSecret(secret))
  const invitation = opened?.invitationId == null ? null : await findInvitationById(tx, opened.invitationId)
  if (invitation === null) return null
  const status = statusAt(invitation, await databaseNow(tx))
  if (status === 'open') return invitation
  if (status === 'accepted') return null
  throw new SignInFailed(status === 'declined' ? 'invitation_declined' : 'invitation_closed')
}

interface Choice {
  readonly target: SignInTarget
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
  const { email, expiresAt } = invitation
  const shown = { origin: await originForPage(deps, invitation, traceId), email, expiresAt }
  return renderPage(environment, chooseProviderPage({ ...choice, providers: accepting, invitation: shown }))
}

import type { PublicCaller } from '@payments/chassis/base/caller'
import type { PageReply, RawBody } from '@payments/contracts/grammar/contract'
import { id as tenantIdForm } from '@payments/contracts/grammar/field'
import type { Deps } from '../deps.ts'
import { mayUseMembership } from '../domain/admission.ts'
import { consolePath } from '../domain/sign-in.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import { readField, redirect } from '../pages/page.ts'
import { pathToSignIn } from '../pages/paths.ts'
import { createSession } from '../session/create-session.ts'
import { endSessions } from '../session/end-sessions.ts'
import { createSessionCookie, findLiveSession } from '../sign-in/browser.ts'
import { withFailurePage } from '../sign-in/reply-to-failure.ts'
import { isActive } from '../sign-in/tenant-facts.ts'
import { findMember } from '../store/memberships.ts'
import { lockSessionAndUser } from '../store/sessions.ts'
import { followSession } from '../store/sign-ins.ts'

/** The session in the other tenant ends when the first one would have: a switch is no proof of identity. */
export function switchTenant(deps: Deps, caller: PublicCaller, raw: RawBody): Promise<PageReply> {
  const { traceId } = caller
  return withFailurePage(deps, caller, { operation: 'switchTenant' }, async (browser) => {
    const parsed = tenantIdForm.safeParse(readField('tenant_id', raw))
    if (!parsed.success) throw new SignInFailed('unreadable')
    const tenantId = parsed.data
    const current = await deps.db.acrossTenants((tx) => findLiveSession(tx, deps, browser))
    if (current === null) return redirect(pathToSignIn({ tenantId }))
    if (current.tenantId === tenantId) return redirect(consolePath)
    const provider = deps.providers.find(current.providerId)
    if (provider === undefined || !(await isActive(deps, tenantId, traceId))) throw new SignInFailed('not_a_member')
    const created = await deps.db.acrossTenants(async (tx) => {
      const session = await lockSessionAndUser(tx, current.id)
      if (session === null) return null
      const { userId, kind, providerId, issuer, subject, providerSessionId, authenticatedAt, expiresAt } = session
      const member = await findMember(tx, tenantId, userId)
      if (member?.enabled !== true || !mayUseMembership(provider, member)) throw new SignInFailed('not_a_member')
      // An end of all sessions in the tenant requires another sign-in there.
      if (member.sessionsEndedAt !== null && authenticatedAt <= member.sessionsEndedAt) return null
      const signedIn = { providerId, issuer, subject, providerSessionId, authenticatedAt }
      await endSessions(tx, [session], null, traceId)
      const opened = { userId, tenantId, kind, signedIn, browser, endsBy: expiresAt, traceId }
      const switched = await createSession(tx, deps, opened)
      await followSession(tx, { browserHash: null, previousId: session.id, sessionId: switched.session.id })
      return switched
    })
    if (created === null) return redirect(pathToSignIn({ tenantId }))
    caller.recordTenant(tenantId, { type: 'user', id: created.session.userId })
    return { ...redirect(consolePath), cookies: [createSessionCookie(created)] }
  })
}

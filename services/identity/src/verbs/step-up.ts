import type { PublicCaller } from '@payments/chassis/base/caller'
import type { PageReply } from '@payments/contracts/grammar/contract'
import { id as idForm } from '@payments/contracts/grammar/field'
import type { Deps } from '../deps.ts'
import { readReturnTo } from '../domain/sign-in.ts'
import { redirect } from '../pages/page.ts'
import { pathToSignIn } from '../pages/paths.ts'
import { findLiveSession, rejectEmbedded } from '../sign-in/browser.ts'
import { openSignIn } from '../sign-in/open-sign-in.ts'
import { withFailurePage } from '../sign-in/reply-to-failure.ts'
import { findUser } from '../store/users.ts'

/** Without a session, a person signs in instead, into the tenant of the page. */
export function stepUp(
  deps: Deps,
  caller: PublicCaller,
  query: { return_to?: string | undefined; tenant_id?: string | undefined },
): Promise<PageReply> {
  const target = { returnTo: readReturnTo(query.return_to), tenantId: idForm.safeParse(query.tenant_id).data ?? null }
  const { returnTo } = target
  return withFailurePage(
    deps,
    caller,
    { operation: 'stepUp', target: { ...target, isStepUp: true } },
    async (browser) => {
      rejectEmbedded(browser)
      const found = await deps.db.acrossTenants(async (tx) => {
        const session = await findLiveSession(tx, deps, browser)
        return session === null ? null : { session, user: await findUser(tx, session.userId) }
      })
      const provider = deps.providers.find(found?.session.providerId ?? '')
      if (found === null || provider === undefined) return redirect(pathToSignIn(target))
      return openSignIn(deps, {
        ...{ provider, browser, purpose: 'step_up', returnTo, invitationId: null },
        ...{ tenantId: found.session.tenantId, replacedSessionId: found.session.id },
        loginHint: found.user?.email ?? undefined,
      })
    },
  )
}

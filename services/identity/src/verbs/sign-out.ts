import type { PublicCaller } from '@payments/chassis/base/caller'
import type { PageReply } from '@payments/contracts/grammar/contract'
import type { Deps } from '../deps.ts'
import { hashSecret } from '../domain/sign-in.ts'
import { redirect } from '../pages/page.ts'
import { signedOutPath } from '../pages/paths.ts'
import { endSessions } from '../session/end-sessions.ts'
import { findLiveSession, findSignInSecret, requireBrowser, withoutSession, withoutSignIn } from '../sign-in/browser.ts'
import { lockSessionAndUser } from '../store/sessions.ts'
import { deleteOfBrowser } from '../store/sign-ins.ts'

/** The next request with the session is rejected. Sign-ins in progress in this browser end, too. */
export async function signOut(deps: Deps, caller: PublicCaller): Promise<PageReply> {
  const browser = requireBrowser(caller)
  const secret = findSignInSecret(browser)
  await deps.db.acrossTenants(async (tx) => {
    const found = await findLiveSession(tx, deps, browser)
    const session = found === null ? null : await lockSessionAndUser(tx, found.id)
    if (session !== null) {
      caller.recordTenant(session.tenantId, { type: 'user', id: session.userId })
      await endSessions(tx, [session], null, caller.traceId)
    }
    if (secret !== null) await deleteOfBrowser(tx, hashSecret(secret))
  })
  return { ...redirect(signedOutPath), cookies: [withoutSession, withoutSignIn] }
}

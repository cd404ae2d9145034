import type { PublicCaller } from '@payments/chassis/base/caller'
import type { PageReply, RawBody } from '@payments/contracts/grammar/contract'
import { decodeJwt, errors } from 'jose'
import type { Deps } from '../deps.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import { readField } from '../pages/page.ts'
import { endSessions } from '../session/end-sessions.ts'
import type { LogoutRequest } from '../sign-in/providers.ts'
import { findSessionsOfSubject } from '../store/sessions.ts'
import { lockUsers } from '../store/users.ts'

/** For sign-in providers, which read the status only: OpenID Connect Back-Channel Logout 1.0, section 2.8. */
export async function backChannelLogout(deps: Deps, { traceId }: PublicCaller, raw: RawBody): Promise<PageReply> {
  const token = readField('logout_token', raw)
  const provider = token === undefined ? undefined : deps.providers.byIssuer(readIssuer(token))
  try {
    if (token === undefined || provider === undefined) throw new SignInFailed('invalid', 'no token of a known issuer')
    const ended = await provider.withLogoutToken(token, (logout) => deps.db.acrossTenants((tx) => endNamed(tx, logout)))
    deps.log.info({ trace_id: traceId, provider_id: provider.id, ended }, 'back-channel logout')
    return withoutContent(200)
  } catch (error) {
    if (!(error instanceof SignInFailed)) throw error
    const line = { trace_id: traceId, provider_id: provider?.id ?? null, detail: error.detail }
    deps.log.warn(line, 'back-channel logout rejected')
    return withoutContent(error.failure === 'provider_unavailable' ? 503 : 400)
  }

  async function endNamed(tx: Parameters<typeof endSessions>[0], { issuer, ...named }: LogoutRequest): Promise<number> {
    const userIds = (await findSessionsOfSubject(tx, issuer, named)).map(({ userId }) => userId)
    await lockUsers(tx, userIds)
    // A step-up or a switch of tenant may have replaced sessions before the lock.
    return endSessions(tx, await findSessionsOfSubject(tx, issuer, named), 'ended_by_provider', traceId)
  }
}

/** Unverified: it only chooses the provider whose keys verify the token. */
function readIssuer(token: string): string {
  try {
    return decodeJwt(token).iss ?? ''
  } catch (error) {
    if (error instanceof errors.JWTInvalid) return ''
    throw error
  }
}

const withoutContent = (status: 200 | 400 | 503): PageReply => ({
  status,
  html: '',
  policy: "default-src 'none'; frame-ancestors 'none'",
})

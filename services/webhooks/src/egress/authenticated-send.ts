import { within } from '@payments/chassis/base/deadline'
import type { AuthInfoConfig } from '@payments/contracts/services/webhooks/auth-info'
import type { Vault } from '@payments/vault/vault'
import { attemptLimits } from '../domain/attempt/attempt-limits.ts'
import { type AttemptOutcome, failedOutcome, type Timings } from '../domain/attempt/outcome.ts'
import { configBinding } from '../domain/auth-info/auth-info.ts'
import {
  bearer,
  type Credentials,
  listCredentialNames,
  listSecrets,
  toCredentials,
} from '../domain/auth-info/credentials.ts'
import { maskCredentials, type SentCredentials } from './mask-credentials.ts'
import type { Send, SendRequest } from './send.ts'
import { type ClientCredentials, TokenFailure } from './token-endpoint.ts'
import type { Tokens } from './tokens.ts'

/**
 * **What it does.** Sends an attempt with the credentials of the subscription's auth info, which are decrypted for this
 * attempt only.
 *
 * **Guarantees.** With OAuth 2.0, the token comes from `tokens`. A receiver that responds with 401 may have revoked the
 * token: the token is invalidated, another one is fetched, and the request is sent once more. Both requests are one
 * attempt, within the time limit of one. Without a token, the attempt fails with the kind `auth` and the reason. The
 * outcome contains no credential that was sent: `domain/auth-info/credential-masking.ts` replaces what the receiver
 * repeats.
 *
 * **Not guaranteed.** That a request is sent once: after a 401, the receiver gets it again.
 */
export type AuthenticatedSend = (
  request: Pick<SendRequest, 'url' | 'headers' | 'body'>,
  authInfo: EncryptedAuthInfo | null,
) => Promise<AttemptOutcome>

export interface EncryptedAuthInfo {
  readonly id: string
  readonly tenantId: string
  readonly version: number
  readonly configEncrypted: Uint8Array
}

export interface AuthenticatedSendOptions {
  readonly send: Send
  readonly vault: Pick<Vault, 'decrypt'>
  readonly tokens: Tokens
  readonly totalTimeoutMs?: number
}

const noTimings: Timings = { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null }

export function createAuthenticatedSend(options: AuthenticatedSendOptions): AuthenticatedSend {
  const { send, vault, tokens, totalTimeoutMs = attemptLimits.totalTimeoutMs } = options

  const sendWithToken = async (request: SendRequest, authInfo: EncryptedAuthInfo, config: ClientCredentials) => {
    const startedAt = new Date()
    const startMs = performance.now()
    const deadlineAt = startMs + totalTimeoutMs
    const { tenantId } = authInfo
    const secrets = [...listSecrets(config)]
    const once = async () => {
      const token = await tokenWithin(deadlineAt, tokens.get(authInfo, config))
      if (token instanceof TokenFailure) {
        const reason = await maskCredentials({ tenantId, secrets }, (masking) => masking.text(token.message))
        const durationMs = Math.round(performance.now() - startMs)
        const failure = { errorKind: 'auth', errorDetail: reason, statusCode: null, timings: noTimings } as const
        return { token, outcome: failedOutcome({ startedAt, durationMs, ...failure }) }
      }
      secrets.push(token)
      const sentAt = performance.now()
      const outcome = await send({ ...withCredentials(request, bearer(token), { tenantId, secrets }), deadlineAt })
      const credentialNames = listCredentialNames(config)
      return { token, outcome: { ...shiftTimes(sentAt - startMs, startedAt, outcome), credentialNames } }
    }
    const first = await once()
    if (first.token instanceof TokenFailure || first.outcome.statusCode !== 401) return first.outcome
    tokens.invalidate(authInfo, first.token)
    return (await once()).outcome
  }

  return async (request, authInfo) => {
    if (authInfo === null) return send(request)
    const decrypted = await vault.decrypt(configBinding(authInfo.tenantId, authInfo.id), authInfo.configEncrypted)
    const config = JSON.parse(decrypted) as AuthInfoConfig
    if (config.type === 'oauth2_client_credentials') return sendWithToken(request, authInfo, config)
    const sent = { tenantId: authInfo.tenantId, secrets: listSecrets(config) }
    const outcome = await send(withCredentials(request, toCredentials(config), sent))
    return { ...outcome, credentialNames: listCredentialNames(config) }
  }
}

function withCredentials(
  request: SendRequest,
  { headers, query }: Credentials,
  credentials: SentCredentials,
): SendRequest {
  return { ...request, headers: { ...request.headers, ...headers }, query, credentials }
}

/** The fetch continues after the deadline of this attempt: other attempts may wait for the token. */
function tokenWithin(deadlineAt: number, token: Promise<string>): Promise<string | TokenFailure> {
  const late = () => new TokenFailure('no access token was received in time')
  const waitMs = Math.max(0, deadlineAt - performance.now())
  return within(waitMs, 'the access token', token, late).catch((error: unknown) => {
    if (error instanceof TokenFailure) return error
    throw error
  })
}

/** The outcome of a request that began `laterMs` after its attempt, with times since the start of the attempt. */
function shiftTimes(laterMs: number, startedAt: Date, outcome: AttemptOutcome): AttemptOutcome {
  const later = Math.round(laterMs)
  const shifted = Object.entries(outcome.timings).map(([step, at]) => [step, at === null ? null : at + later])
  const timings = Object.fromEntries(shifted) as Timings
  return { ...outcome, startedAt, durationMs: outcome.durationMs + later, timings }
}

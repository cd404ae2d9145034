import type { AuthInfoConfig } from '@payments/contracts/webhooks-auth-info'
import type { Vault } from '@payments/vault/vault'
import { attemptLimits } from '../domain/attempt-limits.ts'
import { configBinding } from '../domain/auth-info.ts'
import { bearer, type Credentials, credentialNamesOf, credentialsOf } from '../domain/credentials.ts'
import type { Outcome, Timings } from '../domain/outcome.ts'
import type { Send, SendRequest } from './send.ts'
import { type ClientCredentials, TokenFailure } from './token-endpoint.ts'
import type { Tokens } from './tokens.ts'

/**
 * Sends an attempt with the credentials of the subscription's auth info, which are opened for this attempt only.
 *
 * With OAuth 2.0 the token is one of `tokens`. A receiver that answers 401 may have forgotten it: it is dropped, another one
 * fetched, and the request sent once more. All of it is one attempt, within the limit of one. Where there is no token, the
 * attempt fails with the kind `auth`, and says why.
 */
export type AuthenticatedSend = (
  request: Pick<SendRequest, 'url' | 'headers' | 'body'>,
  authInfo: SealedAuthInfo | null,
) => Promise<Outcome>

export interface SealedAuthInfo {
  readonly id: string
  readonly tenantId: string
  readonly version: number
  readonly configSealed: Uint8Array
}

export interface AuthenticatedSendOptions {
  readonly send: Send
  readonly vault: Pick<Vault, 'decrypt'>
  readonly tokens: Tokens
  readonly totalTimeoutMs?: number
}

export function createAuthenticatedSend(options: AuthenticatedSendOptions): AuthenticatedSend {
  const { send, vault, tokens, totalTimeoutMs = attemptLimits.totalTimeoutMs } = options

  const sendWithToken = async (request: SendRequest, owner: SealedAuthInfo, config: ClientCredentials) => {
    const startedAt = new Date()
    const from = performance.now()
    const deadlineAt = from + totalTimeoutMs
    const once = async () => {
      const token = await tokenBefore(deadlineAt, tokens.get(owner, config))
      if (token instanceof TokenFailure) return { token, outcome: failed(startedAt, from, token.message) }
      const sentAt = performance.now()
      const outcome = await send({ ...withCredentials(request, bearer(token)), deadlineAt })
      const credentialNames = credentialNamesOf(config)
      return { token, outcome: { ...beginning(startedAt, sentAt - from, outcome), credentialNames } }
    }
    const first = await once()
    if (first.token instanceof TokenFailure || first.outcome.statusCode !== 401) return first.outcome
    tokens.drop(owner, first.token)
    return (await once()).outcome
  }

  return async (request, authInfo) => {
    if (authInfo === null) return send(request)
    const opened = await vault.decrypt(configBinding(authInfo.tenantId, authInfo.id), authInfo.configSealed)
    const config = JSON.parse(opened) as AuthInfoConfig
    if (config.type === 'oauth2_client_credentials') return sendWithToken(request, authInfo, config)
    const outcome = await send(withCredentials(request, credentialsOf(config)))
    return { ...outcome, credentialNames: credentialNamesOf(config) }
  }
}

function withCredentials(request: SendRequest, { headers, query }: Credentials): SendRequest {
  return { ...request, headers: { ...request.headers, ...headers }, query }
}

/** A fetch that others wait for goes on when this attempt's time is over. */
async function tokenBefore(deadlineAt: number, token: Promise<string>): Promise<string | TokenFailure> {
  let timer: NodeJS.Timeout | undefined
  const overdue = new Promise<TokenFailure>((resolve) => {
    const waitMs = Math.max(0, deadlineAt - performance.now())
    timer = setTimeout(() => resolve(new TokenFailure('there was no token in time')), waitMs)
  })
  try {
    return await Promise.race([token, overdue])
  } catch (error) {
    if (error instanceof TokenFailure) return error
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** What came of a request, told from the start of the attempt that it is the last part of. */
function beginning(startedAt: Date, laterMs: number, outcome: Outcome): Outcome {
  const later = Math.round(laterMs)
  const shifted = Object.entries(outcome.timings).map(([step, at]) => [step, at === null ? null : at + later])
  const timings = Object.fromEntries(shifted) as Timings
  return { ...outcome, startedAt, durationMs: outcome.durationMs + later, timings }
}

function failed(startedAt: Date, from: number, errorDetail: string): Outcome {
  return {
    startedAt,
    durationMs: Math.round(performance.now() - from),
    statusCode: null,
    errorKind: 'auth',
    errorDetail,
    responseBody: null,
    responseTruncated: false,
    retryAfterMs: null,
    credentialNames: null,
    timings: { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null },
  }
}

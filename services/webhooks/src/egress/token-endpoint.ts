import { inSpan } from '@payments/chassis/observability/trace'
import { definedMembers } from '@payments/contracts/grammar/defined-members'
import { parseJson } from '@payments/contracts/grammar/json'
import type { AuthInfoConfig } from '@payments/contracts/services/webhooks/auth-info'
import { destinationViolation } from '@payments/egress/destination'
import { createHttpClient, type HttpClientOptions } from '@payments/egress/http-client'
import type { ReceivedResponse } from '@payments/egress/http-request'
import { basic } from '../domain/auth-info/credentials.ts'

/**
 * **What it does.** Requests a token from a tenant's authorization server with OAuth 2.0 client credentials (RFC 6749,
 * 4.4).
 *
 * **Guarantees.** The token URL is checked like a destination, at each request. A request takes at most 10 s and reads
 * at most 64 KiB.
 *
 * Credentials are sent with HTTP Basic, which every authorization server must support (2.3.1). After a 400 or 401 they
 * are sent once more in the body, for servers that support only that. One request never contains both.
 *
 * Deviations of known servers are accepted: any 2xx, a byte order mark, `BearerToken`, numbers as text, null.
 *
 * **Not guaranteed.** That the token is valid until `usableMs` ends: the authorization server may revoke it.
 */
interface Token {
  readonly value: string
  /** How long the token may be used from now. */
  readonly usableMs: number
}

export type ClientCredentials = AuthInfoConfig<'oauth2_client_credentials'>

/** The reason why there is no token. The tenant reads the message: it contains no part of a credential. */
export class TokenFailure extends Error {
  override readonly name = 'TokenFailure'
}

/** Rejects with TokenFailure, or LocalFailure. */
export type FetchToken = (config: ClientCredentials) => Promise<Token>

export interface TokenEndpointOptions extends HttpClientOptions {
  readonly stop: AbortSignal
  readonly timeoutMs?: number
}

const responseBytesMax = 64 * 1024
const tokenCharactersMax = 8 * 1024
/** A token is not used in the last 30 s of its life: it could expire in transit. */
const expiryMarginMs = 30_000
const usableMsMax = 24 * 3_600_000
/** For a token without expires_in. */
const usableMsDefault = 5 * 60_000

const contentHeaders = { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded' }

export function createTokenEndpoint(options: TokenEndpointOptions): FetchToken {
  const { timeoutMs = 10_000 } = options
  const client = createHttpClient(options)
  return async (config) => {
    const violation = destinationViolation(config.token_url, options)
    if (violation !== undefined) throw new TokenFailure(`the token_url ${violation}`)
    const deadlineAt = performance.now() + timeoutMs
    const { scope, audience, resource } = config
    const grant = { grant_type: 'client_credentials', ...definedMembers({ scope, audience, resource }) }
    const attributes = { 'http.request.method': 'POST', 'server.address': new URL(config.token_url).hostname }
    const post = (headers: Record<string, string>, fields: Record<string, string>) =>
      inSpan('fetch access token', { kind: 'client', attributes }, async (add) => {
        const response = await client.request({
          method: 'POST',
          url: config.token_url,
          headers: { ...contentHeaders, ...headers },
          body: Buffer.from(new URLSearchParams({ ...grant, ...fields }).toString()),
          connectTimeoutMs: timeoutMs,
          responseBytesMax,
          deadlineAt,
        })
        const complete = completeResponse(response)
        add({ 'http.response.status_code': complete.status })
        return complete
      })
    const { client_id, client_secret } = config
    const basicResponse = await post({ Authorization: basic(encodeForm(client_id), encodeForm(client_secret)) }, {})
    if (basicResponse.status !== 400 && basicResponse.status !== 401) return readToken(basicResponse)
    return readToken(await post({}, { client_id, client_secret }))
  }
}

/** The encoding of both parts of Basic credentials by RFC 6749, 2.3.1. */
function encodeForm(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}

interface TokenResponse {
  readonly status: number
  readonly body: Buffer
}

function completeResponse(response: ReceivedResponse): TokenResponse {
  if ('failure' in response) throw new TokenFailure(`the token endpoint: ${response.detail}`)
  if (response.truncated) {
    throw new TokenFailure(`the token endpoint responded with more than ${responseBytesMax} bytes`)
  }
  return response
}

/** Types of tokens that a receiver takes with a proof only, or never. */
const unusableTypes: ReadonlySet<string> = new Set(['mac', 'pop', 'dpop', 'n_a'])

/** Reads a token response (RFC 6749, 5.1). */
function readToken({ status, body }: TokenResponse): Token {
  const members = readMembers(body)
  if (status < 200 || status > 299) {
    const code = members['error']
    const known = typeof code === 'string' && /^[a-z_]{1,64}$/.test(code) ? `: ${code}` : ''
    throw new TokenFailure(`the token endpoint responded with ${status}${known}`)
  }
  const { access_token: value, token_type: type, expires_in: seconds } = members
  if (typeof value !== 'string' || value.length > tokenCharactersMax || !/^[\x21-\x7e]+$/.test(value)) {
    throw new TokenFailure(`the token endpoint responded with ${status} without an access_token`)
  }
  if (typeof type === 'string' && unusableTypes.has(type.toLowerCase())) {
    throw new TokenFailure('the token endpoint issued a token that is not of type Bearer')
  }
  const expiresMs = readSeconds(seconds) * 1000
  const usableMs = Number.isNaN(expiresMs) ? usableMsDefault : Math.min(expiresMs - expiryMarginMs, usableMsMax)
  return { value, usableMs: Math.max(0, usableMs) }
}

/** NaN for anything but a number, or a number as text. */
function readSeconds(given: unknown): number {
  if (typeof given === 'number') return given
  return typeof given === 'string' && given.trim() !== '' ? Number(given) : Number.NaN
}

const byteOrderMark = '\uFEFF'

/** Empty for another text, for example an HTML page of a proxy: the status of the response decides. */
function readMembers(data: Buffer): Record<string, unknown> {
  const text = data.toString('utf8')
  const parsed = parseJson(text.startsWith(byteOrderMark) ? text.slice(1) : text)
  return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}
}

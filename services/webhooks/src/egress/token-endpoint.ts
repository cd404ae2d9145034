import type { AuthInfoConfig } from '@payments/contracts/webhooks-auth-info'
import axios, { type AxiosResponse } from 'axios'
import { basic } from '../domain/credentials.ts'
import { destinationViolation } from '../domain/destination.ts'
import { LocalFailure } from '../domain/local-failure.ts'
import { createAgents, type EgressProxy } from './agents.ts'
import { errorDetailOf } from './error-detail.ts'
import { errorKindOf } from './error-kind.ts'
import { pinnedLookup, type Resolving, resolve } from './resolve.ts'

/**
 * **What it does.** Requests a token from a tenant's authorization server with OAuth 2.0 client credentials (RFC
 * 6749, 4.4).
 *
 * **Guarantees.** The token URL is checked like a destination: form and addresses at each request, a connection to
 * exactly the checked addresses, no redirects, no proxy except the egress proxy. A request takes at most 10 s and
 * reads at most 64 KiB.
 *
 * Credentials are sent with HTTP Basic, which every authorization server must support (2.3.1). After a 400 or 401
 * they are sent once more in the body, for servers that support only that. One request never contains both.
 */
export interface Token {
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

export interface TokenEndpointOptions extends Resolving {
  readonly stop: AbortSignal
  readonly timeoutMs?: number
  readonly proxy?: EgressProxy | undefined
}

const responseBytesMax = 64 * 1024
const tokenCharactersMax = 8 * 1024
/** A token is not used in the last 30 s of its life: it could expire in transit. */
const expiryMarginMs = 30_000
const usableMsMax = 24 * 3_600_000
/** For a token without expires_in. */
const usableMsDefault = 5 * 60_000

const { request } = axios.create({
  method: 'POST',
  headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded' },
  maxRedirects: 0,
  proxy: false,
  decompress: false,
  maxContentLength: responseBytesMax,
  responseType: 'arraybuffer',
  validateStatus: null,
})

export function createTokenEndpoint(options: TokenEndpointOptions): FetchToken {
  const { stop, timeoutMs = 10_000 } = options
  return async (config) => {
    const violation = destinationViolation(config.token_url, options)
    if (violation !== undefined) throw new TokenFailure(`the token_url ${violation}`)
    const url = new URL(config.token_url)
    const resolved = await resolve(url, options, performance.now() + timeoutMs)
    if ('rejection' in resolved) throw new TokenFailure(`the token endpoint: ${resolved.rejection.errorDetail}`)
    const { http, https } = createAgents({ lookup: pinnedLookup(resolved.addresses) }, options.proxy)
    const agents = { httpAgent: http, httpsAgent: https }
    const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)])
    const grant = { grant_type: 'client_credentials', ...(config.scope === undefined ? {} : { scope: config.scope }) }
    const post = async (headers: Record<string, string>, fields: Record<string, string>) => {
      try {
        const data = new URLSearchParams({ ...grant, ...fields }).toString()
        return await request<Buffer>({ url: url.href, data, headers, signal, ...agents })
      } catch (error) {
        throw failureOf(error, stop)
      }
    }
    const { client_id, client_secret } = config
    const basicResponse = await post({ Authorization: basic(formEncoded(client_id), formEncoded(client_secret)) }, {})
    if (basicResponse.status !== 400 && basicResponse.status !== 401) return tokenOf(basicResponse)
    return tokenOf(await post({}, { client_id, client_secret }))
  }
}

/** The encoding of both parts of Basic credentials by RFC 6749, 2.3.1. */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}

/** Throws LocalFailure for a local cause. */
function failureOf(error: unknown, stop: AbortSignal): TokenFailure {
  if (!axios.isAxiosError(error)) throw error
  if (stop.aborted) throw new LocalFailure('the dispatcher is stopping', 0)
  if (axios.isCancel(error)) return new TokenFailure('the token endpoint did not respond in time')
  // The message of the error could quote the request.
  const cause = error.cause ?? error
  const kind = errorKindOf(cause, { connected: false })
  if (error.code === axios.AxiosError.ERR_BAD_RESPONSE) {
    return new TokenFailure(`the token endpoint responded with more than ${responseBytesMax} bytes`)
  }
  return new TokenFailure(`the token endpoint: ${errorDetailOf(kind, cause)}`)
}

/** Reads a token response (RFC 6749, 5.1). */
function tokenOf({ status, data }: AxiosResponse<Buffer>): Token {
  const members = membersOf(data)
  if (status !== 200) {
    const code = members['error']
    const known = typeof code === 'string' && /^[a-z_]{1,64}$/.test(code) ? `: ${code}` : ''
    throw new TokenFailure(`the token endpoint responded with ${status}${known}`)
  }
  const { access_token: value, token_type: type = 'Bearer', expires_in: seconds } = members
  if (typeof value !== 'string' || value.length > tokenCharactersMax || !/^[\x21-\x7e]+$/.test(value)) {
    throw new TokenFailure('the token endpoint responded with 200 without an access_token')
  }
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    throw new TokenFailure('the token endpoint issued a token that is not of type Bearer')
  }
  const expiresMs = Number(seconds ?? Number.NaN) * 1000
  const usableMs = Number.isNaN(expiresMs) ? usableMsDefault : Math.min(expiresMs - expiryMarginMs, usableMsMax)
  return { value, usableMs: Math.max(0, usableMs) }
}

function membersOf(data: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(data.toString('utf8'))
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}
  } catch {
    // For example an HTML page of a proxy. The status of the response decides.
    return {}
  }
}

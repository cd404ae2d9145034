import type { AuthInfoConfig } from '@payments/contracts/webhooks-auth-info'
import axios, { type AxiosResponse } from 'axios'
import { basic } from '../domain/credentials.ts'
import { destinationViolation } from '../domain/destination.ts'
import { LocalFailure } from '../domain/local-failure.ts'
import { createAgents, type EgressProxy } from './agents.ts'
import { errorDetailOf } from './error-detail.ts'
import { errorKindOf } from './error-kind.ts'
import { type Resolving, resolve, vetted } from './resolve.ts'

/**
 * Asks a tenant's authorization server for a token, by OAuth 2.0 client credentials (RFC 6749, 4.4).
 *
 * The endpoint is a tenant's URL as much as a destination is: judged and looked up anew each time, connected to at the vetted
 * addresses, no redirect followed, no proxy but ours used, 10 s in all, 64 KiB of answer.
 *
 * Credentials go by HTTP Basic, which every authorization server must take (2.3.1). Some take them in the body only: where
 * Basic is refused with 400 or 401 they go once more there, never both ways in one request.
 */
export interface Token {
  readonly value: string
  /** How long it may be used from now. */
  readonly usableMs: number
}

export type ClientCredentials = AuthInfoConfig<'oauth2_client_credentials'>

/** There is no token, and why. The message is for the tenant: nothing in it comes from a credential. */
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

const answerBytesMax = 64 * 1024
const tokenCharactersMax = 8 * 1024
/** A token is not used in its last moments: it would expire on its way. */
const expiryMarginMs = 30_000
const usableMsMax = 24 * 3_600_000
/** Of a token that does not say when it expires. */
const usableMsUnsaid = 5 * 60_000

const { request } = axios.create({
  method: 'POST',
  headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded' },
  maxRedirects: 0,
  proxy: false,
  decompress: false,
  maxContentLength: answerBytesMax,
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
    if ('refused' in resolved) throw new TokenFailure(`the token endpoint: ${resolved.refused.errorDetail}`)
    const made = createAgents({ lookup: vetted(resolved.addresses) }, options.proxy)
    const agents = { httpAgent: made.http, httpsAgent: made.https }
    const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)])
    const grant = { grant_type: 'client_credentials', ...(config.scope === undefined ? {} : { scope: config.scope }) }
    const ask = async (headers: Record<string, string>, fields: Record<string, string>) => {
      try {
        const data = new URLSearchParams({ ...grant, ...fields }).toString()
        return await request<Buffer>({ url: url.href, data, headers, signal, ...agents })
      } catch (error) {
        throw failureOf(error, stop)
      }
    }
    const { client_id, client_secret } = config
    const byHeader = await ask({ Authorization: basic(formEncoded(client_id), formEncoded(client_secret)) }, {})
    if (byHeader.status !== 400 && byHeader.status !== 401) return tokenOf(byHeader)
    return tokenOf(await ask({}, { client_id, client_secret }))
  }
}

/** As RFC 6749, 2.3.1 wants both halves of Basic. */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}

/** Throws LocalFailure where it was ours. */
function failureOf(error: unknown, stop: AbortSignal): TokenFailure {
  if (!axios.isAxiosError(error)) throw error
  if (stop.aborted) throw new LocalFailure('the dispatcher stops', 0)
  if (axios.isCancel(error)) return new TokenFailure('the token endpoint did not answer in time')
  // The error's own words could quote the request.
  const cause = error.cause ?? error
  const kind = errorKindOf(cause, { connected: false })
  if (error.code === axios.AxiosError.ERR_BAD_RESPONSE) {
    return new TokenFailure(`the token endpoint answered more than ${answerBytesMax} bytes`)
  }
  return new TokenFailure(`the token endpoint: ${errorDetailOf(kind, cause)}`)
}

/** By RFC 6749, 5.1. */
function tokenOf({ status, data }: AxiosResponse<Buffer>): Token {
  const answer = membersOf(data)
  if (status !== 200) {
    const code = answer['error']
    const known = typeof code === 'string' && /^[a-z_]{1,64}$/.test(code) ? `: ${code}` : ''
    throw new TokenFailure(`the token endpoint answered ${status}${known}`)
  }
  const { access_token: value, token_type: type = 'Bearer', expires_in: seconds } = answer
  if (typeof value !== 'string' || value.length > tokenCharactersMax || !/^[\x21-\x7e]+$/.test(value)) {
    throw new TokenFailure('the token endpoint answered 200 without an access_token')
  }
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    throw new TokenFailure('the token endpoint answered a token that is not of type Bearer')
  }
  const expiresMs = Number(seconds ?? Number.NaN) * 1000
  const usableMs = Number.isNaN(expiresMs) ? usableMsUnsaid : Math.min(expiresMs - expiryMarginMs, usableMsMax)
  return { value, usableMs: Math.max(0, usableMs) }
}

function membersOf(data: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(data.toString('utf8'))
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}
  } catch {
    // A page of some proxy, for instance: it has no members, and the status tells the rest.
    return {}
  }
}

import { type Connection, requireCredential, requireTenantId } from './attempt.ts'
import { type CallArguments, type CallOptions, call } from './call.ts'
import { groups, operations } from './generated/operations.ts'
import { List, type ListOptions } from './list.ts'
import type { PaymentServiceClient } from './operation.ts'
import { type RetryPolicy, requireInteger, retryPolicy, timerMsMax } from './retry.ts'

export type { Call, CallOptions, CallResponse } from './call.ts'
export type { List, ListOptions, Page } from './list.ts'
export type { Arguments, PaymentServiceClient, Result } from './operation.ts'
export type { RetryPolicy } from './retry.ts'

export interface ClientOptions {
  /** The gateway, also with `/v1`: https, or http on loopback. Default with `session`: the origin of the page. */
  readonly baseUrl?: string | undefined
  /** The value of an API key, or a JWT; a function is called at the start of each attempt. */
  readonly credential?: string | (() => string | Promise<string>) | undefined
  /** In a page that the gateway serves: the credential is the session of the browser, in a cookie. */
  readonly session?: boolean | undefined
  /**
   * UUID of the tenant. Required with an API key; a JWT names its tenant. With `session`: the tenant that the page
   * shows; a call gets 401 `session_of_another_tenant` once another tab has switched the session. A function is called
   * at the start of each attempt.
   */
  readonly tenantId?: string | (() => string) | undefined
  /** Time-out of each attempt in milliseconds. Default: 45 000; the gateway responds within 45 s. */
  readonly timeoutMs?: number | undefined
  /** Default: 4 attempts, and at most 60 s of `Retry-After`. */
  readonly retry?: Partial<RetryPolicy> | undefined
  /** Accept http on other addresses than loopback: the network then sees the credential. Default: false. */
  readonly allowHttp?: boolean | undefined
  /** Default: the `fetch` of the runtime. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
}

const timeoutMsDefault = 45_000

/** Throws TypeError or RangeError where an option is not usable. Sends nothing. */
export function createClient(options: ClientOptions): PaymentServiceClient {
  const connection = buildConnection(options)
  const methods = Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      operation.list
        ? (args: CallArguments = {}, own: ListOptions = {}) => new List(connection, name, operation, args, own)
        : (args: CallArguments = {}, own: CallOptions = {}) => call(connection, name, operation, args, own),
    ]),
  )
  const resources = Object.entries(groups).map(([group, members]) => [
    group,
    Object.freeze(Object.fromEntries(Object.entries(members).map(([member, name]) => [member, methods[name]]))),
  ])
  // The types of operation.ts say which method has which arguments.
  return Object.freeze({ ...methods, ...Object.fromEntries(resources) }) as unknown as PaymentServiceClient
}

function buildConnection(options: ClientOptions): Connection {
  const { tenantId, timeoutMs = timeoutMsDefault, retry = {}, session = false } = options
  if (session && options.credential !== undefined) {
    throw new TypeError('session goes without credential: the browser sends its cookie')
  }
  requireInteger('timeoutMs', timeoutMs, 1, timerMsMax)
  return {
    baseUrl: requireUrl(
      options.baseUrl ?? (session ? globalThis.location?.origin : undefined),
      options.allowHttp === true,
    ),
    credential: session ? undefined : toCredentialReader(options),
    tenantId: toTenantIdReader(tenantId),
    timeoutMs,
    retry: retryPolicy(retry),
    fetch: options.fetch ?? ((request) => globalThis.fetch(request)),
  }
}

function toCredentialReader({ credential }: ClientOptions): () => string | Promise<string> {
  if (typeof credential === 'function') return credential
  const value = requireCredential(credential)
  return () => value
}

function toTenantIdReader(tenantId: ClientOptions['tenantId']): Connection['tenantId'] {
  if (tenantId === undefined || typeof tenantId === 'function') return tenantId
  const value = requireTenantId(tenantId)
  return () => value
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

function requireUrl(text: string | undefined, allowHttp: boolean): string {
  if (typeof text !== 'string' || !URL.canParse(text)) throw new TypeError('baseUrl must be a URL')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new TypeError('baseUrl must have no user information, query or fragment')
  }
  // The paths of operations begin with the version.
  url.pathname = url.pathname.replace(/\/v1\/?$/, '/')
  const isSecure = url.protocol === 'https:' || (url.protocol === 'http:' && (allowHttp || loopback.test(url.hostname)))
  if (!isSecure) throw new TypeError('baseUrl must be https, or http on loopback')
  return url.href
}

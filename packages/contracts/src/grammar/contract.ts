import type { z } from 'zod'
import type { EventDefinitions } from './event.ts'
import type { Permission } from './permission.ts'
import type { CommonProblemCode, ProblemDefinitions } from './problem.ts'

/**
 * A contract is what a service promises: its endpoints, its problems, its events. Pure data.
 * From it come the typed router, the typed client, the gateway's route table and OpenAPI.
 */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type Path = `/${string}`

/**
 * public: anyone · authenticated: every valid credential · tenant: a credential with `permission` · internal: one of
 * the processes in `callers`.
 */
export type Audience = 'public' | 'authenticated' | 'tenant' | 'internal'

type SuccessStatus = 200 | 201 | 202 | 204

export type PageStatus = 200 | 303 | 400 | 403 | 404 | 409 | 410 | 429 | 503

/** The reply of a handler of a page. */
export interface PageReply {
  readonly status: PageStatus
  readonly html: string
  /** Content-Security-Policy of the page. */
  readonly policy: string
  /** Path that a 303 leads to, or the URL of another site. */
  readonly location?: string
  /** Cookies that the browser stores: only names that the endpoint declares. */
  readonly cookies?: readonly PageCookie[]
  /** When the request may be sent again. */
  readonly retryAfterSeconds?: number
  /** Another page frames this one: `frame-ancestors` of the policy names its origin, in place of X-Frame-Options. */
  readonly isFramed?: true
}

/** A cookie with `Path=/`, `Secure` and `HttpOnly`. Its name begins with `__Host-`. */
export interface PageCookie {
  readonly name: string
  readonly value: string
  /** 0 deletes the cookie. */
  readonly maxAgeSeconds: number
  readonly sameSite: 'Strict' | 'Lax'
}

/** The end of an endpoint that is still served. */
interface Deprecation {
  /** Day of the announcement, as 2026-01-31. */
  readonly since: string
  /** Day from which the endpoint may be gone: at least a year after `since`. */
  readonly sunset: string
  /** Path of the page that says what to use instead. */
  readonly link: `/docs/${string}`
}

export interface Endpoint<Code extends string = string> {
  readonly method: Method
  /** Below the gateway's origin, parameters in braces: `/v1/api-key/keys/{api_key_id}`. */
  readonly path: Path
  readonly audience: Audience
  /** The processes that may call it, by name; internal endpoints have at least one, and no other endpoint has any. */
  readonly callers?: readonly string[]
  /** The permission that the caller must hold; tenant endpoints have exactly one. */
  readonly permission?: Permission
  /**
   * The permissions of the caller that the handler reads beside `permission`: all, or these. The handler, and the
   * assertion of the request, know no others.
   */
  readonly readsPermissions?: 'all' | readonly Permission[]
  /** One line that begins with a verb, understood with nothing else on the screen. */
  readonly summary: string
  /** Information for the caller beyond the summary. */
  readonly description?: string
  /** A request body for the documentation, where the schema brings no `examples`. */
  readonly example?: unknown
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /**
   * For a sender that signs the bytes of its body: the handler gets the bytes and these headers, names in lower case.
   * The body has any form and no schema.
   */
  readonly rawBody?: { readonly headers: readonly string[] }
  /** Maximum bytes of the body, where it is smaller than `bodyBytesLimit` says. */
  readonly bodyBytesMax?: number
  /** Maximum milliseconds to receive the body, where it is shorter than the 10 s of any request. */
  readonly bodyTimeoutMs?: number
  /** The successful replies; null is an empty body. Empty for a page. */
  readonly replies: Readonly<Partial<Record<SuccessStatus, z.ZodType | null>>>
  /**
   * A page for browsers, in place of JSON: the statuses that the handler may reply with. Its path is outside of `/v1/`.
   * Its parameters are secrets, which no log and no audit record shows.
   */
  readonly page?: readonly PageStatus[]
  /** Others add parameters to the address, which are not read. So a card number among them rejects no request. */
  readonly foreignQuery?: true
  /**
   * Names of the cookies that the gateway passes to a page, with the address and the user agent of the browser. Without
   * the list, a service gets none of them. A POST with cookies is accepted from the pages of the same origin only.
   */
  readonly cookies?: readonly string[]
  /** `Location` of a 201: the path of the created resource, with fields of the reply in braces, `{tenant.id}`. */
  readonly location?: Path
  /** Declared problems, in addition to those every endpoint shares. */
  readonly problems?: readonly Code[]
  /**
   * Servers send the requests, such as payment providers: they have the limits of webhooks, apart from the pages that
   * people open.
   */
  readonly calledByServers?: true
  /** Counts many rows before it changes some: it shares the permits of the reads of a tenant. */
  readonly countsRows?: true
  /** Honours `Idempotency-Key`. */
  readonly idempotent?: true
  /** The reply carries a secret: `Cache-Control: no-store`, limited and audited as a reveal. */
  readonly reveals?: true
  /** A session needs a sign-in of the last five minutes (RFC 9470). API keys and other JWTs are not affected. */
  readonly sensitive?: true
  /**
   * Changes what a credential may do. Each response of the handler, problems and replays included, waits until the
   * authorization leases of all gateways have expired. So the change binds every request that arrives after the
   * response.
   */
  readonly changesAuthorization?: true
  /** Callers get `Deprecation` and `Sunset` headers, and the documentation says so. */
  readonly deprecated?: Deprecation
  /**
   * The response waits until something changed: a GET of a tenant with `wait_seconds`. The gateway has permits of their
   * own for waits, authorizes again when the response begins, and folds requests without a problem into one audit
   * record a minute. A request with `wait_seconds=0` does not wait: it takes a permit like a request of any endpoint.
   */
  readonly waits?: true
}

/** Limits of the body of any request; an endpoint may have narrower ones. */
export const bodyBytesMax = 256 * 1024
export const bodyTimeoutMs = 10_000

/** Of a request without a credential: anyone may send it. */
const publicBodyBytesMax = 64 * 1024

/** Maximum bytes of the body of the endpoint. */
export function bodyBytesLimit({ audience, bodyBytesMax: own }: Pick<Endpoint, 'audience' | 'bodyBytesMax'>): number {
  return Math.min(own ?? bodyBytesMax, audience === 'public' ? publicBodyBytesMax : bodyBytesMax)
}

export interface Contract {
  readonly service: string
  /** One sentence for the documentation: what the service is responsible for. */
  readonly description: string
  readonly endpoints: Readonly<Record<string, Endpoint>>
  readonly problems: ProblemDefinitions
  readonly events: EventDefinitions
  /** Events between services: in no catalogue of tenants. Webhooks stores and delivers none. */
  readonly internalEvents?: EventDefinitions
}

/** Checks a contract at compile time. */
export function contract<
  const S extends string,
  const P extends ProblemDefinitions,
  const E extends Readonly<Record<string, Endpoint<Extract<keyof P, string> | CommonProblemCode>>>,
  const V extends EventDefinitions,
  const I extends EventDefinitions = Readonly<Record<never, never>>,
>(definition: { service: S; description: string; problems: P; endpoints: E; events: V; internalEvents?: I }) {
  const endpoints: readonly Endpoint[] = Object.values(definition.endpoints)
  const readable = endpoints.filter(({ method }) => method === 'GET').map(({ path }) => maskParameters(path))
  for (const [name, endpoint] of Object.entries(definition.endpoints)) {
    for (const [rule, holds] of Object.entries(rules)) {
      if (!holds(endpoint)) throw new Error(`${definition.service}.${name}: ${rule}`)
    }
    if (endpoint.location !== undefined && !readable.includes(maskParameters(endpoint.location))) {
      throw new Error(`${definition.service}.${name}: no GET of the contract has the path of its location`)
    }
  }
  const internalEvents = (definition.internalEvents ?? {}) as I
  return { ...definition, internalEvents }
}

/** Rules of each endpoint, by the words of the error. */
const rules: Readonly<Record<string, (endpoint: Endpoint) => boolean>> = {
  'a tenant endpoint, and no other, declares a permission': ({ audience, permission }) =>
    (audience === 'tenant') === (permission !== undefined),
  'only the caller of a credential has permissions to read': (endpoint) =>
    endpoint.readsPermissions === undefined || hasCredential(endpoint),
  'an internal endpoint, and no other, lists its callers': ({ audience, callers = [] }) =>
    (audience === 'internal') === callers.length > 0,
  'an endpoint has a body or a raw body, not both': ({ body, rawBody }) => body === undefined || rawBody === undefined,
  'an endpoint may narrow the limits of a body, not widen them': (endpoint) =>
    (endpoint.bodyBytesMax ?? 0) <= bodyBytesLimit(endpoint) && (endpoint.bodyTimeoutMs ?? 0) <= bodyTimeoutMs,
  'an endpoint has a page or replies, not both': ({ page, replies }) =>
    (page !== undefined) === (Object.keys(replies).length === 0),
  'only a page has cookies': ({ cookies, page }) => cookies === undefined || page !== undefined,
  'only a public endpoint is called by servers': ({ calledByServers, audience }) =>
    calledByServers !== true || audience === 'public',
  'a sensitive endpoint is one of credentials': (endpoint) => endpoint.sensitive !== true || hasCredential(endpoint),
  'an endpoint that reveals a secret is sensitive': ({ reveals, sensitive }) => reveals !== true || sensitive === true,
  'an endpoint that replies 201, and no other, declares a location': ({ replies, location }) =>
    201 in replies === (location !== undefined),
  'only a GET of a tenant waits': ({ waits, method, audience }) =>
    waits !== true || (method === 'GET' && audience === 'tenant'),
  'a sunset is a day at least a year after the deprecation': ({ deprecated }) =>
    deprecated === undefined || isFair(deprecated),
}

const hasCredential = ({ audience }: Endpoint) => audience === 'tenant' || audience === 'authenticated'

/** Without the names of parameters: a location names fields of the reply, a path names parameters. */
const maskParameters = (path: string) => path.replaceAll(/\{[^}]+\}/g, '{}')

const noticeMs = 365 * 24 * 60 * 60 * 1000

/** Callers have a year to change. `NaN` of a text that is no day is not fair. */
function isFair({ since, sunset }: Deprecation): boolean {
  return (
    [since, sunset].every((day) => /^\d{4}-\d\d-\d\d$/.test(day)) && Date.parse(sunset) - Date.parse(since) >= noticeMs
  )
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined

/** A body as received, with the headers that its endpoint names. */
export interface RawBody {
  readonly bytes: Buffer
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** The input of a handler: parsed by the contract, so a verb never sees an unchecked value. */
export interface RequestOf<E extends Endpoint> {
  readonly params: Parsed<E['params']>
  readonly query: Parsed<E['query']>
  readonly body: Parsed<E['body']>
  readonly raw: E['rawBody'] extends object ? RawBody : undefined
}

/** The request that a client sends: the same before parsing. */
export interface CallOf<E extends Endpoint> {
  readonly params?: E['params'] extends z.ZodType ? z.input<E['params']> : never
  readonly query?: E['query'] extends z.ZodType ? z.input<E['query']> : never
  readonly body?: E['body'] extends z.ZodType ? z.input<E['body']> : never
}

type BodyOf<S> = S extends z.ZodType ? z.input<S> : undefined
type IsUnion<T, U = T> = T extends unknown ? ([U] extends [T] ? false : true) : never

/** A page, or with a single success status its body. Several: the handler says which, `{ status, body }`. */
export type ReplyOf<E extends Endpoint> = E['page'] extends readonly PageStatus[] ? PageReply : JsonReplyOf<E>

type JsonReplyOf<E extends Endpoint> =
  IsUnion<keyof E['replies']> extends true
    ? { [S in keyof E['replies']]: { status: S; body: BodyOf<E['replies'][S]> } }[keyof E['replies']]
    : E['replies'][keyof E['replies']] extends z.ZodType
      ? z.input<E['replies'][keyof E['replies']]>
      : undefined

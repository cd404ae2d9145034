import { newId } from '@payments/chassis/base/id'
import type { Span } from '@payments/chassis/observability/span'
import { rawHeaderValues } from '@payments/chassis/request/raw-request'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { Request, Response } from 'express'
import type { Principal } from '../authorization/principal.ts'
import { callerAddress, connectionAddress } from '../limits/client-ip.ts'
import type { Route } from '../route-table.ts'
import type { ForwardedCall } from './forwarded-call.ts'
import type { Hosts } from './hosts.ts'
import { readSessionCookie, type SessionCookie } from './session-cookie.ts'

/**
 * The knowledge of the pipeline about one request. A context never changes: each stage returns what the stage learned,
 * and app.ts creates the next context from that.
 */
export interface RequestContext {
  /**
   * The Trace-ID of the request when it is one UUID, without a Trace-ID the trace id of its traceparent, else a new id.
   * Every response carries the trace id.
   */
  readonly traceId: string
  /** Milliseconds on the clock of `performance.now()`. */
  readonly arrivedAt: number
  /** The request target without its query or fragment, not decoded. */
  readonly path: string
  readonly address: string
  /** False when the trusted proxies sent no readable address. Then `address` is the address of the connection. */
  readonly isAddressKnown: boolean
  /** All values of the headers that a request may have once. */
  readonly singleHeaders: SingleHeaders
  readonly sessionCookie: SessionCookie
  /** All values of traceparent; none beside a Trace-ID, which has priority. */
  readonly traceparents: readonly string[]
  readonly route?: Route
  readonly principal?: Principal
  /** The call to the service, once the gateway forwards the request. */
  readonly call?: ForwardedCall
  /** The span of the request, while tracing is on. */
  readonly span?: Span
}

export interface MatchedContext extends RequestContext {
  readonly route: Route
}

export interface AuthenticatedContext extends MatchedContext {
  readonly principal: Principal
}

/** Returns the newest context of a request. For code that runs later, at the end of the response. */
export type CurrentContext = () => RequestContext

type SingleHeader = 'authorization' | 'tenant-id' | 'trace-id' | 'idempotency-key' | 'host'
type SingleHeaders = Readonly<Record<SingleHeader, readonly string[]>>

/** Reads the context from the request. Rejects nothing, so that each later rejection has a trace id. */
export function readContext(request: Request, hosts: Hosts, trustedProxies: number): RequestContext {
  const singleHeaders = readSingleHeaders(request.rawHeaders)
  const traceparents = singleHeaders['trace-id'].length > 0 ? [] : rawHeaderValues(request, 'traceparent')
  const address = callerAddress(request, trustedProxies)
  const { originalUrl: target } = request
  const end = target.search(/[?#]/)
  return {
    traceId: readTraceId(singleHeaders['trace-id'], traceparents) ?? newId(),
    arrivedAt: performance.now(),
    path: end === -1 ? target : target.slice(0, end),
    address: address ?? connectionAddress(request),
    isAddressKnown: address !== undefined,
    singleHeaders,
    sessionCookie: readSessionCookie(request, hosts),
    traceparents,
  }
}

function readTraceId(traceIds: readonly string[], traceparents: readonly string[]): string | undefined {
  const [traceId, ...others] = traceIds
  if (traceId === undefined) return readParentTraceId(traceparents)
  return isUuid(traceId) && others.length === 0 ? traceId : undefined
}

/** Version, trace id, parent id, flags and, from version 01 on, further fields (W3C Trace Context). */
const traceparentForm = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/

/** The trace id of the one traceparent as a UUID: both have 128 bits. Undefined when it is repeated or malformed. */
export function readParentTraceId([parent = '', ...others]: readonly string[]): string | undefined {
  const [, version, traceId = '', parentId = '', further] = traceparentForm.exec(parent) ?? []
  const isKnown = version !== undefined && version !== 'ff' && (version !== '00' || further === undefined)
  if (!isKnown || others.length > 0 || /^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined
  return traceId.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function readSingleHeaders(rawHeaders: readonly string[]): SingleHeaders {
  const values: Record<SingleHeader, string[]> = {
    authorization: [],
    'tenant-id': [],
    'trace-id': [],
    'idempotency-key': [],
    host: [],
  }
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? ''
    if (Object.hasOwn(values, name)) values[name as SingleHeader].push(rawHeaders[i + 1] ?? '')
  }
  return values
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(value: string | undefined): value is string {
  return value !== undefined && uuid.test(value)
}

const canonicalNames: Readonly<Record<SingleHeader, string>> = {
  authorization: 'Authorization',
  'tenant-id': 'Tenant-ID',
  'trace-id': 'Trace-ID',
  'idempotency-key': 'Idempotency-Key',
  host: 'Host',
}

/**
 * Rejects headers that two parsers may read differently: a repeated single header, HTTP/1.1 without Host (RFC 9112),
 * and Upgrade. Node drops a second Authorization without an error. Throws invalid_header.
 */
export function rejectAmbiguousHeaders(request: Request, { singleHeaders }: RequestContext): void {
  const names = Object.keys(singleHeaders) as SingleHeader[]
  const errors = names
    .filter((name) => singleHeaders[name].length > 1)
    .map((name) => ({ pointer: `/headers/${canonicalNames[name]}`, detail: 'must be given once' }))
  if (singleHeaders.host.length === 0 && request.httpVersion === '1.1') {
    errors.push({ pointer: '/headers/Host', detail: 'is missing' })
  }
  if (switchesProtocol(request)) errors.push({ pointer: '/headers/Upgrade', detail: 'is not supported' })
  if (errors.length > 0) throw new Problem(commonProblems.invalid_header, { errors })
}

/** RFC 9110, 7.8, allows to ignore an Upgrade. Some clients offer HTTP/2 in every first request. */
function switchesProtocol({ headers }: Request): boolean {
  return headers.upgrade !== undefined && headers.upgrade.toLowerCase() !== 'h2c'
}

/** Limits and `allowed_cidrs` need the caller's address. Throws invalid_header when the address is unknown. */
export function requireKnownAddress({ isAddressKnown }: RequestContext): void {
  if (isAddressKnown) return
  const detail = 'has no readable address of the caller'
  throw new Problem(commonProblems.invalid_header, { errors: [{ pointer: '/headers/X-Forwarded-For', detail }] })
}

/** The headers of every response, also of a rejection. */
export function setCommonHeaders(response: Response, { traceId }: RequestContext, transport: string | undefined): void {
  response.setHeader('Trace-ID', traceId)
  response.setHeader('X-Content-Type-Options', 'nosniff')
  if (transport !== undefined) response.setHeader('Strict-Transport-Security', transport)
}

import type { IncomingMessage } from 'node:http'
import { actorName } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { redactPath, redactSecrets, redactStart } from '@payments/chassis/base/redact'
import type { Log } from '@payments/chassis/observability/log'
import type { RequestFilter } from '@payments/chassis/observability/request-filter'
import { readPath } from '@payments/chassis/request/raw-request'
import type { Endpoint } from '@payments/contracts/grammar/contract'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import { toOutcome } from '@payments/contracts/services/audit/fields'
import type { Request, Response } from 'express'
import { minimalRecord } from '../audit/minimal-record.ts'
import { type FallbackResponse, gateResponse } from '../audit/response-gate.ts'
import type { AuditSpool } from '../audit/spool.ts'
import type { Done } from '../audit/write-ahead-file.ts'
import { type Allowance, closeAfter } from '../limits/unverified-requests.ts'
import { encodeForTarget, pagePaths } from '../pages/problem-page.ts'
import { whenRequestEnds } from './forwarded-call.ts'
import type { CurrentContext, RequestContext } from './request-context.ts'

/** nginx' number for a client that left before its response. The gateway records this status and never sends it. */
const clientClosedRequest = { status: 499, code: 'client_closed_request' } as const

const pathCharactersMax = 2_048
const unverifiedPathCharactersMax = 256
const userAgentCharactersMax = 256
const retryAfterSeconds = 5

export interface RequestAuditing {
  readonly spool: AuditSpool
  readonly log: Log
  /** Which requests have a log line. */
  readonly isLogged: RequestFilter
}

export interface AuditedRequest {
  readonly request: Request
  readonly response: Response
  /** Returns what the pipeline knows when the response ends. */
  readonly current: CurrentContext
  /** For a request without a verified credential. */
  readonly allowance: Allowance
}

/**
 * **What it does.** Writes one audit record per request, and a log line where `isLogged` says so. Requests without a
 * verified credential beyond the allowance of their address share a record (audit/folds.ts), as do waits that succeed
 * or that their client leaves.
 *
 * **Guarantees.**
 * - The record is in the spool before the last byte of the response leaves; the record of a reveal is on the disk
 *   before the first byte leaves.
 * - When the client has left, the record is written when a forwarded call settles, with the status of the service.
 *
 * **Not guaranteed.** The order of records.
 *
 * Throws audit_unavailable without capacity for the record, and rate_limited for a request without a credential beyond
 * the allowance.
 */
export function audit({ spool, log, isLogged }: RequestAuditing, audited: AuditedRequest): void {
  const { request, response, current, allowance } = audited
  const { address, traceId, singleHeaders, sessionCookie } = current()
  const mayBeVerified = singleHeaders.authorization.length === 1 || sessionCookie.credential !== undefined
  if (!mayBeVerified && allowance.isExceeded()) {
    spool.fold(address)
    closeAfter(response)
    return allowance.require(response)
  }
  const isReserved = spool.reserve(mayBeVerified ? 'any' : 'unverified')
  if (!isReserved && !mayBeVerified) spool.fold(address)
  let record: AuditRecord | undefined
  let fallback: Pick<AuditRecord, 'status' | 'code'> | undefined
  let isFolded = false
  const store = (complete: AuditRecord, isDurable: boolean, done: Done) => {
    if (current().principal === undefined && (allowance.isExceeded() || spool.isFull())) {
      closeAfter(response)
      spool.fold(address)
    } else if (!isOrdinaryWait(current(), complete) || !spool.foldWait(complete)) {
      return spool.append(complete, isDurable, done)
    }
    isFolded = true
    spool.release()
    done()
  }
  whenRequestEnds(response, current, () => {
    if (record === undefined) {
      const context = current()
      record = buildRecord(request, response, context, context.call?.isBroken !== true)
      if (isReserved) store(record, false, () => {})
    }
    if (!isFolded) logRequest({ log, isLogged }, { ...record, ...fallback }, current().route?.endpoint, response)
  })
  if (!isReserved) throw auditUnavailable()
  gateResponse(response, (release) => {
    const context = current()
    const isTooLarge = context.call?.isTooLarge === true
    record = buildRecord(request, response, context, false)
    store(record, context.route?.endpoint.reveals === true, (error) => {
      if (error === undefined && !isTooLarge) return release()
      const problem = error === undefined ? new Problem(commonProblems.internal_error) : auditUnavailable()
      if (isTooLarge) log.error({ trace_id: traceId }, 'dropped a reveal that exceeds the limit of its bytes')
      fallback = { status: problem.status, code: problem.code }
      release(fallbackResponse(problem, traceId, request, response))
    })
  })
}

/** Succeeded, or ended because the client left: a page that is closed or reloaded leaves its wait. */
const isOrdinaryWait = ({ route, principal }: RequestContext, { status }: AuditRecord) =>
  route?.endpoint.waits === true && principal !== undefined && (status === 200 || status === clientClosedRequest.status)

/** The problem of a request whose record the spool does not take. */
export function auditUnavailable(): Problem {
  const detail = 'The gateway cannot write the audit record of this request'
  return new Problem(commonProblems.audit_unavailable, { detail, retryAfterSeconds })
}

/**
 * Replaces a response whose record could not be written, or that is too large. The record has the service's status.
 */
function fallbackResponse(
  problem: Problem,
  traceId: string,
  { originalUrl, headers: given }: Request,
  replaced: Response,
): FallbackResponse {
  const { retryAfterSeconds: seconds } = problem.options
  const { headers, body } = encodeForTarget(problem, traceId, originalUrl, given['accept-language'])
  const transport = replaced.getHeader('Strict-Transport-Security')
  return {
    status: problem.status,
    headers: {
      ...headers,
      'Cache-Control': 'no-store',
      ...(seconds === undefined ? {} : { 'Retry-After': String(seconds) }),
      'Trace-ID': traceId,
      'X-Content-Type-Options': 'nosniff',
      ...(transport === undefined ? {} : { 'Strict-Transport-Security': String(transport) }),
    },
    body,
  }
}

/** The record of a request that never reaches the pipeline: the HTTP parser rejected the request, or CONNECT. */
export function buildUnreadableRecord(
  problem: Problem,
  traceId: string,
  address: string | undefined,
  known: Partial<Pick<AuditRecord, 'method' | 'path' | 'user_agent'>> = {},
): AuditRecord {
  const { status, code } = problem
  return minimalRecord({ trace_id: traceId, outcome: toOutcome(status), status, code, ip: address ?? '', ...known })
}

/** The fields of a record that a parsed request has without the pipeline. */
export function describeRequest(request: IncomingMessage): Pick<AuditRecord, 'method' | 'path' | 'user_agent'> {
  return {
    method: request.method ?? null,
    path: request.url === undefined ? null : shownUnverifiedPath(request.url),
    user_agent: shownUserAgent(request),
  }
}

function buildRecord(
  request: Request,
  response: Response,
  context: RequestContext,
  isClientGone: boolean,
): AuditRecord {
  const { route } = context
  const { status, code } = recordedStatus(response, context)
  const elapsedMs = performance.now() - context.arrivedAt
  return {
    id: newId(),
    occurred_at: new Date(Date.now() - elapsedMs).toISOString(),
    trace_id: context.traceId,
    ...recordedActor(context),
    method: request.method,
    path: shownPath(context),
    operation: route?.operation ?? null,
    permission: route?.endpoint.permission ?? null,
    outcome: toOutcome(status),
    status,
    code,
    ip: context.address,
    user_agent: shownUserAgent(request),
    duration_ms: Math.round(elapsedMs * 1000) / 1000,
    client_gone: isClientGone,
    count: 1,
  }
}

/** The sender by its credential, or as the service of a public endpoint named it. Users of pages have a browser. */
function recordedActor({ principal, call }: RequestContext): Pick<AuditRecord, 'tenant_id' | 'actor' | 'client'> {
  if (principal !== undefined)
    return { tenant_id: principal.tenantId, actor: principal.actor, client: principal.client }
  const { recordedTenantId: tenant_id = null, recordedUserId: userId = null } = call ?? {}
  if (userId === null) return { tenant_id, actor: { type: 'anonymous', id: null }, client: null }
  return { tenant_id, actor: { type: 'user', id: userId }, client: 'console' }
}

/** The path of a page contains a secret. Any other path has none, unless a client puts a credential or card there. */
function shownPath({ path, route, principal }: RequestContext): string {
  const shown = route === undefined || route.endpoint.page !== undefined ? pagePaths.hide(path) : path
  return redactStart(shown, principal === undefined ? unverifiedPathCharactersMax : pathCharactersMax, redactPath)
}

/** The path of a request target that no route was found for. */
export function shownUnverifiedPath(target: string): string {
  return redactStart(pagePaths.hide(readPath(target)), unverifiedPathCharactersMax, redactPath)
}

export function shownUserAgent({ headers }: IncomingMessage): string | null {
  const userAgent = headers['user-agent']
  return userAgent === undefined ? null : redactStart(userAgent, userAgentCharactersMax, redactSecrets)
}

/**
 * The status of the response that the client received. When the client left before: the status of the service, or 499
 * when the request was not forwarded.
 */
function recordedStatus(response: Response, { call }: RequestContext): Pick<AuditRecord, 'status' | 'code'> {
  if (response.headersSent) return { status: response.statusCode, code: response.locals.code ?? null }
  if (call?.status === undefined) return clientClosedRequest
  return { status: call.status, code: call.code }
}

/** The log line is for operators of the gateway. The audit record is complete without the log line. */
function logRequest(
  { log, isLogged }: Pick<RequestAuditing, 'log' | 'isLogged'>,
  record: AuditRecord,
  endpoint: Endpoint | undefined,
  response: Response,
): void {
  const { trace_id, tenant_id, operation, method, path, status, code, duration_ms } = record
  const cut_off = response.headersSent && !response.writableFinished
  const { path: route, changesAuthorization } = endpoint ?? {}
  if (!cut_off && !isLogged({ traceId: trace_id, status, durationMs: duration_ms, changesAuthorization })) return
  const { type, id } = record.actor
  const actor = id === null ? null : actorName({ type, id })
  const line = { trace_id, tenant_id, actor, operation, method, route, path, status, code, duration_ms, cut_off }
  log.info(line, 'request')
}

import type { IncomingMessage } from 'node:http'
import { newId } from '@payments/chassis/id'
import type { Log } from '@payments/chassis/log'
import { type AuditRecord, outcomeOf } from '@payments/contracts/audit'
import { commonProblems, Problem } from '@payments/contracts/problem'
import type { Request, Response } from 'express'
import { type FallbackResponse, gateResponse } from '../audit/response-gate.ts'
import type { AuditSpool } from '../audit/spool.ts'
import type { Done } from '../audit/write-ahead-file.ts'
import { closeAfter, type UnverifiedRequests } from '../limits/unverified-requests.ts'
import { type Exchange, whenOver } from './request-context.ts'

/** Nobody was left to answer; the number that nginx gave this. Not a status that is ever sent. */
const clientClosedRequest = { status: 499, code: 'client_closed_request' } as const

const pathCharactersMax = 2_048
const unverifiedPathCharactersMax = 256
const userAgentCharactersMax = 256
const retryAfterSeconds = 5

export interface Auditing {
  readonly trail: AuditSpool
  readonly unverified: UnverifiedRequests
  readonly log: Log
}

/**
 * One record per request, in the file before the last byte of the answer leaves; on the disk, where the endpoint reveals a
 * secret, so no value leaves without one. When the client has left, the record is made when the connection closes or, for a
 * forwarded request, when the service has responded: what was carried out is recorded as carried out. A request without a
 * verified credential beyond the allowance of its address is counted in a record of many (folds.ts).
 * Throws audit_unavailable without room for the record: the request must not be carried out then. Throws rate_limited for a
 * request beyond that allowance without a credential that could be verified.
 */
export function audit(auditing: Auditing, request: Request, response: Response, exchange: Exchange): void {
  const { trail, unverified, log } = auditing
  const mayBeVerified = exchange.given.authorization.length === 1
  if (!mayBeVerified && unverified.takeOf(exchange).retryAfterSeconds > 0) {
    trail.fold(exchange.address)
    closeAfter(response)
    return unverified.refuse(exchange, response)
  }
  const isAdmitted = trail.admit(mayBeVerified ? 'any' : 'unverified')
  if (!isAdmitted && !mayBeVerified) trail.fold(exchange.address)
  let record: AuditRecord | undefined
  let answered: Pick<AuditRecord, 'status' | 'code'> | undefined
  let isFolded = false
  const settle = (made: AuditRecord, isDurable: boolean, done: Done) => {
    if (exchange.principal === undefined && (unverified.takeOf(exchange).retryAfterSeconds > 0 || trail.isFull())) {
      isFolded = true
      closeAfter(response)
      trail.foldAdmitted(exchange.address)
      done()
    } else trail.append(made, isDurable, done)
  }
  whenOver(response, exchange, () => {
    if (record === undefined) {
      record = recordOf(request, response, exchange, exchange.forwarded?.isBroken !== true)
      if (isAdmitted) settle(record, false, () => {})
    }
    if (!isFolded) logRequest(log, { ...record, ...answered }, response)
  })
  if (!isAdmitted) throw unavailable()
  const isReveal = () => exchange.route?.endpoint.reveals === true
  gateResponse(response, {
    isBuffered: isReveal,
    record: (release, isTooLarge) => {
      record = recordOf(request, response, exchange, false)
      settle(record, isReveal(), (error) => {
        if (error === undefined && !isTooLarge) return release()
        const problem = error === undefined ? new Problem(commonProblems.internal_error) : unavailable()
        const { status, code } = problem
        if (isTooLarge) log.error({ trace_id: exchange.traceId }, 'a reveal is larger than the gateway holds: not sent')
        answered = { status, code }
        release(substitute(problem, exchange.traceId))
      })
    },
  })
}

function unavailable(): Problem {
  return new Problem(commonProblems.audit_unavailable, { retryAfterSeconds })
}

/** In place of a response that could not be recorded, or not be held. Its record has the status of the service. */
function substitute(problem: Problem, traceId: string): FallbackResponse {
  const { retryAfterSeconds: seconds } = problem.options
  return {
    status: problem.status,
    headers: {
      'Content-Type': 'application/problem+json; charset=utf-8',
      'Cache-Control': 'no-store',
      ...(seconds === undefined ? {} : { 'Retry-After': String(seconds) }),
      'Trace-ID': traceId,
      'X-Content-Type-Options': 'nosniff',
    },
    body: JSON.stringify(problem.toBody(traceId)),
  }
}

/** Of a request that no pipeline sees: what the HTTP parser rejected, or a CONNECT, of which more is known. */
export function recordOfUnreadable(
  problem: Problem,
  traceId: string,
  address: string | undefined,
  known: Partial<Pick<AuditRecord, 'method' | 'path' | 'user_agent'>> = {},
): AuditRecord {
  return {
    id: newId(),
    occurred_at: new Date().toISOString(),
    trace_id: traceId,
    tenant_id: null,
    actor: { type: 'anonymous', id: null },
    method: null,
    path: null,
    operation: null,
    permission: null,
    outcome: outcomeOf(problem.status),
    status: problem.status,
    code: problem.code,
    ip: address ?? '',
    user_agent: null,
    duration_ms: 0,
    client_gone: false,
    count: 1,
    ...known,
  }
}

/** What is recorded of a request beyond the pipeline. */
export function describeRequest(request: IncomingMessage): Pick<AuditRecord, 'method' | 'path' | 'user_agent'> {
  return {
    method: request.method ?? null,
    path: request.url?.split('?', 1)[0]?.slice(0, pathCharactersMax) ?? null,
    user_agent: request.headers['user-agent']?.slice(0, userAgentCharactersMax) ?? null,
  }
}

function recordOf(request: Request, response: Response, exchange: Exchange, isClientGone: boolean): AuditRecord {
  const { route, principal } = exchange
  const { status, code } = dispositionOf(response, exchange)
  const elapsedMs = performance.now() - exchange.arrivedAt
  return {
    id: newId(),
    occurred_at: new Date(Date.now() - elapsedMs).toISOString(),
    trace_id: exchange.traceId,
    tenant_id: principal?.tenantId ?? null,
    actor: principal?.actor ?? { type: 'anonymous', id: null },
    method: request.method,
    path: exchange.path.slice(0, principal === undefined ? unverifiedPathCharactersMax : pathCharactersMax),
    operation: route?.operation ?? null,
    permission: route?.endpoint.permission ?? null,
    outcome: outcomeOf(status),
    status,
    code,
    ip: exchange.address,
    user_agent: request.headers['user-agent']?.slice(0, userAgentCharactersMax) ?? null,
    duration_ms: Math.round(elapsedMs * 1000) / 1000,
    client_gone: isClientGone,
    count: 1,
  }
}

/** What the client was told; where it has left, what it would have been told; where nothing was forwarded, that it left. */
function dispositionOf(response: Response, { forwarded }: Exchange): Pick<AuditRecord, 'status' | 'code'> {
  if (response.headersSent) return { status: response.statusCode, code: response.locals.code ?? null }
  if (forwarded?.status === undefined) return clientClosedRequest
  return { status: forwarded.status, code: forwarded.code }
}

/** The line is for who runs the gateway, the record for who asks later: neither needs the other. */
function logRequest(log: Log, record: AuditRecord, response: Response): void {
  const { trace_id, operation, method, status, code, duration_ms } = record
  const cutOff = response.headersSent && !response.writableFinished
  log.info({ trace_id, operation, method, status, code, duration_ms, cut_off: cutOff }, 'request')
}

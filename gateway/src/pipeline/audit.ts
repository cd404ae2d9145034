import { newId } from '@payments/chassis/id'
import type { Log } from '@payments/chassis/log'
import type { AuditRecord, Outcome } from '@payments/contracts/audit'
import { commonProblems, Problem } from '@payments/contracts/problem'
import type { Request, Response } from 'express'
import { holdBack, type Substitute } from '../audit/hold-back.ts'
import type { AuditTrail } from '../audit/trail.ts'
import type { Done } from '../audit/write-ahead-file.ts'
import type { Exchange } from '../exchange.ts'
import { closeAfter, type UnverifiedRequests } from '../limits/unverified-requests.ts'

/** Nobody was left to answer; the number that nginx gave this. Not a status that is ever sent. */
const clientClosedRequest = { status: 499, code: 'client_closed_request' } as const

const pathCharactersMax = 2_048
const unverifiedPathCharactersMax = 256
const userAgentCharactersMax = 256
const retryAfterSeconds = 5

export interface Auditing {
  readonly trail: AuditTrail
  readonly unverified: UnverifiedRequests
  readonly log: Log
}

/**
 * One record per request, in the file before the last byte of the answer leaves; on the disk, where the endpoint reveals a
 * secret, so no value leaves without one. Where nobody is left to answer it is made when the connection closes.
 * A request without a verified credential beyond the allowance of its address is counted in a record of many (folds.ts).
 * Throws audit_unavailable, where there is no room for the record: the request must not be carried out then; and rate_limited,
 * where the request is beyond that allowance and has no credential that could be verified.
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
    if (exchange.judgement === undefined && (unverified.takeOf(exchange).retryAfterSeconds > 0 || trail.isFull())) {
      isFolded = true
      closeAfter(response)
      trail.foldAdmitted(exchange.address)
      done()
    } else trail.append(made, isDurable, done)
  }
  response.once('close', () => {
    if (record === undefined) {
      record = recordOf(request, response, exchange)
      if (isAdmitted) settle(record, false, () => {})
    }
    if (!isFolded) logRequest(log, { ...record, ...answered }, response)
  })
  if (!isAdmitted) throw unavailable()
  holdBack(response, (release) => {
    record = recordOf(request, response, exchange)
    settle(record, exchange.route?.endpoint.reveals === true, (error) => {
      if (error === undefined) return release()
      const { status, code } = unavailable()
      answered = { status, code }
      release(substitute(exchange.traceId))
    })
  })
}

function unavailable(): Problem {
  return new Problem(commonProblems.audit_unavailable, { retryAfterSeconds })
}

/** The record will say what the service answered; it could not be written in time, so the caller is told nothing of it. */
function substitute(traceId: string): Substitute {
  const problem = unavailable()
  return {
    status: problem.status,
    headers: {
      'Content-Type': 'application/problem+json; charset=utf-8',
      'Cache-Control': 'no-store',
      'Retry-After': String(retryAfterSeconds),
      'Trace-ID': traceId,
      'X-Content-Type-Options': 'nosniff',
    },
    body: JSON.stringify(problem.toBody(traceId)),
  }
}

/** What the HTTP parser refused: little is known of it. */
export function recordOfUnreadable(problem: Problem, traceId: string, address: string | undefined): AuditRecord {
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
    count: 1,
  }
}

function recordOf(request: Request, response: Response, exchange: Exchange): AuditRecord {
  const { route, judgement } = exchange
  const status = response.headersSent ? response.statusCode : clientClosedRequest.status
  const elapsedMs = performance.now() - exchange.arrivedAt
  return {
    id: newId(),
    occurred_at: new Date(Date.now() - elapsedMs).toISOString(),
    trace_id: exchange.traceId,
    tenant_id: judgement?.tenantId ?? null,
    actor: judgement?.actor ?? { type: 'anonymous', id: null },
    method: request.method,
    path: exchange.path.slice(0, judgement === undefined ? unverifiedPathCharactersMax : pathCharactersMax),
    operation: route?.operation ?? null,
    permission: route?.endpoint.permission ?? null,
    outcome: outcomeOf(status),
    status,
    code: response.headersSent ? (response.locals.code ?? null) : clientClosedRequest.code,
    ip: exchange.address,
    user_agent: request.headers['user-agent']?.slice(0, userAgentCharactersMax) ?? null,
    duration_ms: Math.round(elapsedMs * 1000) / 1000,
    count: 1,
  }
}

/** The line is for who runs the gateway, the record for who asks later: neither needs the other. */
function logRequest(log: Log, record: AuditRecord, response: Response): void {
  const { trace_id, operation, method, status, code, duration_ms } = record
  const cutOff = response.headersSent && !response.writableFinished
  log.info({ trace_id, operation, method, status, code, duration_ms, cut_off: cutOff }, 'request')
}

function outcomeOf(status: number): Outcome {
  if (status < 400) return 'success'
  if (status === 401 || status === 403 || status === 429) return 'denied'
  return status < 500 ? 'rejected' : 'error'
}

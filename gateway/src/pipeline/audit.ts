import type { Log } from '@payments/chassis/log'
import type { Metrics } from '@payments/chassis/metrics'
import type { Request, Response } from 'express'
import type { Exchange } from '../exchange.ts'

/** What is kept of a request: who did what with which outcome. No bodies, no query, no secrets. */
export interface AuditRecord {
  readonly trace_id: string
  readonly tenant_id: string | null
  readonly actor: { readonly type: 'api_key' | 'user' | 'anonymous'; readonly id: string | null }
  readonly method: string
  readonly path: string
  readonly operation: string | null
  readonly permission: string | null
  readonly outcome: Outcome
  readonly status: number
  readonly code: string | null
  readonly ip: string
  readonly user_agent: string | null
  readonly duration_ms: number
}

type Outcome = 'success' | 'denied' | 'rejected' | 'error'

/** Nobody was left to answer; the number that nginx gave this. Not a status that is ever sent. */
const clientClosedRequest = { status: 499, code: 'client_closed_request' } as const

const pathCharactersMax = 2_048
const userAgentCharactersMax = 256

/** One record per request, when its answer has gone out or can no longer go out. */
export function audit(log: Log, metrics: Metrics, request: Request, response: Response, exchange: Exchange): void {
  response.once('close', () => {
    const record = recordOf(request, response, exchange)
    metrics.observeRequest(record.operation ?? 'none', record.status, record.duration_ms / 1000)
    log.info({ audit: record, cut_off: response.headersSent && !response.writableFinished }, 'request')
  })
}

function recordOf(request: Request, response: Response, exchange: Exchange): AuditRecord {
  const { route, judgement } = exchange
  const status = response.headersSent ? response.statusCode : clientClosedRequest.status
  return {
    trace_id: exchange.traceId,
    tenant_id: judgement?.tenantId ?? null,
    actor: judgement?.actor ?? { type: 'anonymous', id: null },
    method: request.method,
    path: exchange.path.slice(0, pathCharactersMax),
    operation: route?.operation ?? null,
    permission: route?.endpoint.permission ?? null,
    outcome: outcomeOf(status),
    status,
    code: response.headersSent ? (response.locals.code ?? null) : clientClosedRequest.code,
    ip: exchange.address,
    user_agent: request.headers['user-agent']?.slice(0, userAgentCharactersMax) ?? null,
    duration_ms: Math.round((performance.now() - exchange.arrivedAt) * 1000) / 1000,
  }
}

function outcomeOf(status: number): Outcome {
  if (status < 400) return 'success'
  if (status === 401 || status === 403 || status === 429) return 'denied'
  return status < 500 ? 'rejected' : 'error'
}

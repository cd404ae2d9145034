import type { Endpoint, RequestOf } from '@payments/contracts/grammar/contract'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import { toOutcome } from '@payments/contracts/services/audit/fields'
import type { Request, RequestHandler, Response } from 'express'
import { newId } from '../base/id.ts'
import { redactPath, redactStart } from '../base/redact.ts'
import type { Log } from '../observability/log.ts'
import './locals.ts'
import { readPath } from './raw-request.ts'

/**
 * **What it does.** Writes one audit record for every call of an operator (payctl), including reads and rejected calls.
 * The record is stored with the code `outcome_unknown` before the handler runs, and with the real outcome before the
 * response ends.
 *
 * **Guarantees.** No handler runs for an operator without a stored record. No response leaves before its record is
 * complete, or at least stored as in progress. A process that is killed in between leaves a record with the code
 * `outcome_unknown`.
 *
 * **Not guaranteed.** Whether a call with `outcome_unknown` changed something.
 */
export interface OperatorCalls {
  /** Resolves when the record of a call that is about to run is committed. */
  begin(record: AuditRecord): Promise<void>
  /** Resolves when the record with the outcome is committed, whether or not `begin` stored the record. */
  complete(record: AuditRecord): Promise<void>
}

/** The process whose assertions name an operator. */
export const operatorIssuer = 'payctl'

/** The outcome of a record that `begin` stored and that is not completed. */
const unknownOutcome = { outcome: 'error', status: 500, code: 'outcome_unknown' } as const

const pathCharactersMax = 2_048

/** Records the calls of operators; other requests pass. Mount it behind the handler that verifies the assertion. */
export function watchOperator(calls: OperatorCalls, log: Log): RequestHandler {
  return (request, response, next) => {
    const { assertion } = response.locals
    if (assertion?.operator !== undefined) watch(calls, log, assertion.operator, request, response)
    next()
  }
}

/** Stores the record of an operator's call. Rejects if that fails; the handler must not run then. */
export async function beginOperatorCall(response: Response, parsed: RequestOf<Endpoint>): Promise<void> {
  await response.locals.operatorCall?.begin(tenantNamedIn(parsed))
}

function watch(calls: OperatorCalls, log: Log, operator: string, request: Request, response: Response): void {
  const startedAt = performance.now()
  const { method, originalUrl } = request
  const call = {
    id: newId(),
    occurred_at: new Date().toISOString(),
    actor: { type: 'operator', id: operator },
    client: null,
    method,
    path: redactStart(readPath(originalUrl), pathCharactersMax, redactPath),
    permission: null,
    ip: request.socket.remoteAddress ?? '',
    user_agent: null,
    client_gone: false,
    count: 1,
  } as const
  let tenantId: string | null = null
  let isStored = false
  const recordWith = (outcome: Pick<AuditRecord, 'outcome' | 'status' | 'code'>): AuditRecord => ({
    ...call,
    ...outcome,
    tenant_id: tenantId,
    trace_id: response.locals.traceId ?? call.id,
    operation: response.locals.operation ?? null,
    duration_ms: Math.round((performance.now() - startedAt) * 1_000) / 1_000,
    client_gone: response.destroyed,
  })
  response.locals.operatorCall = {
    begin: async (named) => {
      tenantId = named
      await calls.begin(recordWith(unknownOutcome))
      isStored = true
    },
  }
  completeBeforeEnd(response, async () => {
    const { statusCode: status } = response
    const record = recordWith({ outcome: toOutcome(status), status, code: response.locals.code ?? null })
    try {
      await calls.complete(record)
      return true
    } catch (err) {
      log.error({ err, record }, 'cannot complete the audit record of an operator')
      // A stored record is published with an unknown outcome. Without one, no handler ran and no response is sent.
      return isStored
    }
  })
}

/** Delays the end of the response until `complete` resolves. Closes the connection if it resolves with false. */
function completeBeforeEnd(response: Response, complete: () => Promise<boolean>): void {
  const end = response.end
  let isEnding = false
  response.end = ((...parameters: Parameters<typeof end>) => {
    if (isEnding) return response
    isEnding = true
    void complete().then((isRecorded) => {
      response.end = end
      if (isRecorded) response.end(...parameters)
      else response.destroy()
    })
    return response
  }) as typeof end
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The tenant that the path, the query, the body or its filter names as `tenant_id`. */
function tenantNamedIn({ params, query, body }: RequestOf<Endpoint>): string | null {
  const filter = (body as { filter?: unknown } | null | undefined)?.filter
  for (const part of [params, query, body, filter] as unknown[]) {
    const named = (part as { tenant_id?: unknown } | null | undefined)?.tenant_id
    if (typeof named === 'string' && uuid.test(named)) return named.toLowerCase()
  }
  return null
}

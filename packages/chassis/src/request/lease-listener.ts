import type { IncomingMessage, ServerResponse } from 'node:http'
import { gatewayName } from '@payments/contracts/edges/calls'
import {
  type AuthorizationLeaseReply,
  type AuthorizationLeaseRequest,
  authorizationLeaseOperation,
  authorizationLeasePath,
  leaseBounds,
  parseLeaseRequest,
  type RequestCounts,
  type RequestReport,
} from '@payments/contracts/endpoints/authorization-lease'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { AssertionKeys } from '../assertion/assertion.ts'
import { deriveLeaseKey, leaseSignatureHeader, readLeaseSignature } from '../assertion/lease-signature.ts'
import { createByteCollector } from '../base/byte-collector.ts'
import { DeadlineError, within } from '../base/deadline.ts'
import { newId } from '../base/id.ts'
import type { VersionReads } from '../database/authorization-version-reads.ts'
import type { Log } from '../observability/log.ts'
import type { Metrics } from '../process/metrics.ts'
import type { RawListener, RawListeners } from '../process/serve.ts'
import { encodeProblem, toProblem } from './problem-response.ts'

/** The parts of an authorization source that a call for a lease needs. */
export interface LeaseGrants {
  readonly versions: VersionReads
  /** See `AuthorizationVersionReply`. */
  readonly catalogue?: string
  /** Of api-key: counts the requests of a report. */
  readonly countRequests?: (report: RequestReport) => Promise<RequestCounts>
}

export interface LeaseListenerOptions extends LeaseGrants {
  /** The audience of the calls. */
  readonly service: string
  /** Of the pairs of processes, by issuer. */
  readonly keys: AssertionKeys
  readonly log: Log
  readonly metrics: Metrics
}

const method = 'POST'
const bodyMsMax = 2_000
const countsMsMax = 20

/**
 * **What it does.** Serves `acquireAuthorizationLease` before Express, with a MAC in place of an assertion, because
 * each gateway sends it 20 times a second.
 *
 * **Guarantees.** Only the gateway is served. A body has at most 96 KiB and arrives within 2 s. Nothing is read or
 * counted before the MAC of the body is verified and the body has the shape of the contract. A call that is not served
 * gets a problem and a log line; every call is measured. A report that
 * cannot be counted does not affect the lease, and one that is counted slowly delays the lease by at most 20 ms.
 */
export function leaseListeners(options: LeaseListenerOptions): RawListeners {
  const { service, keys, log, metrics } = options
  const key = keys.get(gatewayName)
  const leaseKeys: AssertionKeys = new Map(key === undefined ? [] : [[gatewayName, deriveLeaseKey(key)]])
  const serve = async (request: IncomingMessage): Promise<AuthorizationLeaseReply> => {
    const header = request.headers[leaseSignatureHeader]
    const signature = readLeaseSignature(typeof header === 'string' ? header : undefined, leaseKeys)
    if (signature === undefined) throw new Problem(commonProblems.invalid_credentials)
    const body = await readBody(request)
    if (!signature.verify({ method, path: authorizationLeasePath, audience: service }, body))
      throw new Problem(commonProblems.invalid_credentials)
    const parsed = parseLeaseRequest(body.toString('utf8'))
    if (parsed === undefined || (parsed.report !== undefined && options.countRequests === undefined))
      throw invalidRequest('does not have the shape of a call for a lease')
    return replyTo(parsed, options)
  }
  const listener: RawListener = (request, response, isDraining) => {
    const startedAt = performance.now()
    const end = (status: number, problem?: { readonly code: string; readonly traceId: string }) => {
      const durationMs = performance.now() - startedAt
      metrics.observeRequest(authorizationLeaseOperation, status, durationMs / 1_000)
      if (problem === undefined) return
      const { traceId: trace_id, code } = problem
      const fields = { trace_id, operation: authorizationLeaseOperation, method, route: authorizationLeasePath }
      log.info({ ...fields, status, code, duration_ms: Math.round(durationMs) }, 'request')
    }
    serve(request).then(
      (reply) => {
        send(response, { status: 200, headers: okHeaders, body: JSON.stringify(reply) }, isDraining())
        end(200)
      },
      (error: unknown) => {
        const traceId = newId()
        const problem = toProblem(error, log, { trace_id: traceId, method })
        // The rest of a body that was not read must not be read as the next request.
        send(response, problemReply(problem, traceId), isDraining() || !request.complete)
        end(problem.status, { code: problem.code, traceId })
      },
    )
  }
  return new Map([[`${method} ${authorizationLeasePath}`, listener]])
}

/** A lease waits for the counts of a report for a moment only: it is worth less with each millisecond. */
async function replyTo(
  { lease, report }: AuthorizationLeaseRequest,
  { versions, catalogue, countRequests, log }: LeaseListenerOptions,
): Promise<AuthorizationLeaseReply> {
  const counting =
    report === undefined || countRequests === undefined
      ? undefined
      : countRequests(report).catch((err: unknown) => {
          log.warn({ err }, 'admitted requests of a gateway were not counted')
          return null
        })
  const version = lease === undefined ? undefined : await versions.read(lease.since)
  if (version === undefined) return toCountsReply(await counting)
  const granted = { lease: catalogue === undefined ? version : { ...version, catalogue } }
  if (counting === undefined) return granted
  const counts = await within(countsMsMax, 'counting requests', counting, () => undefined)
  return { ...granted, ...toCountsReply(counts) }
}

function toCountsReply(counts: RequestCounts | null | undefined): AuthorizationLeaseReply {
  return counts === undefined ? {} : { counts }
}

/** Without `destroyOnReturn`, the connection stays open for the response to a body that is not read to its end. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const body = createByteCollector(leaseBounds.requestBytesMax)
  const reading = async () => {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      if (body.excess(chunk) !== undefined) throw new Problem(commonProblems.payload_too_large)
      body.add(chunk)
    }
    return body.collected()
  }
  return within(bodyMsMax, 'body', reading()).catch((error: unknown) => {
    const isLate = error instanceof DeadlineError
    if (error instanceof Problem || (request.complete && !isLate)) throw error
    throw invalidRequest(isLate ? `did not arrive within ${bodyMsMax} ms` : 'ended before its announced length')
  })
}

const invalidRequest = (detail: string) =>
  new Problem(commonProblems.invalid_request, { errors: [{ pointer: '', detail }] })

interface Encoded {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const okHeaders = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' }

function problemReply(problem: Problem, traceId: string): Encoded {
  const { headers, body } = encodeProblem(problem, traceId, authorizationLeasePath)
  const { retryAfterSeconds } = problem.options
  const retryAfter = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(Math.ceil(retryAfterSeconds)) }
  return { status: problem.status, headers: { ...headers, 'Trace-ID': traceId, ...retryAfter }, body }
}

function send(response: ServerResponse, { status, headers, body }: Encoded, isLast: boolean): void {
  if (isLast) response.shouldKeepAlive = false
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body)
}

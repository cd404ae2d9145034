import { once } from 'node:events'
import { Agent, type IncomingMessage, request as send } from 'node:http'
import type { AssertionKeys } from '@payments/chassis/assertion/assertion'
import { deriveLeaseKey, leaseSignatureHeader, signLeaseCall } from '@payments/chassis/assertion/lease-signature'
import { createByteCollector } from '@payments/chassis/base/byte-collector'
import { serviceAgent } from '@payments/chassis/client/service-agent'
import { gatewayName } from '@payments/contracts/edges/calls'
import {
  type AuthorizationLeaseReply,
  type AuthorizationLeaseRequest,
  authorizationLeasePath,
  leaseBounds,
  parseLeaseReply,
  type RequestCounts,
  type RequestReport,
} from '@payments/contracts/endpoints/authorization-lease'
import type { AuthorizationVersionReply } from '@payments/contracts/endpoints/authorization-version'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { LeaseSource } from './lease.ts'
import { readsInProgressMax } from './lease-reads.ts'

/**
 * **What it does.** Calls `acquireAuthorizationLease` of one authorization source by `node:http`, on one connection,
 * and on further ones while calls overlap.
 *
 * **Guarantees.** A call ends within `timeoutMs`, whatever the source sends. When the source closed a connection at the
 * moment of its reuse, the lease is requested again at once, on a new connection. A report is sent once, because the
 * source may have counted it: the reply of the second call has no `counts`. Throws service_unavailable.
 */
export type LeaseClient = (request: AuthorizationLeaseRequest) => Promise<AuthorizationLeaseReply>

interface LeaseClientOptions {
  readonly service: string
  readonly baseUrl: string
  /** Of the pairs of processes, by service. */
  readonly keys: AssertionKeys
  readonly timeoutMs: number
}

const newConnections = new Agent({ keepAlive: false })

/** The source closed an idle connection at the moment of its reuse. */
class ClosedBeforehand extends Error {}

export function createLeaseClient({ service, baseUrl, keys, timeoutMs }: LeaseClientOptions): LeaseClient {
  const pairKey = keys.get(service)
  if (pairKey === undefined) throw new Error(`no assertion key for ${gatewayName} → ${service}`)
  const signer = { issuer: gatewayName, key: deriveLeaseKey(pairKey) }
  const called = { method: 'POST', path: authorizationLeasePath, audience: service }
  const { hostname: host, port } = new URL(baseUrl)
  const target = { host, port, method: called.method, path: called.path }
  // A report without a lease may be in progress beside the reads.
  const agent = serviceAgent({ maxSockets: readsInProgressMax + 1, maxFreeSockets: 1 })

  const sendOnce = async (request: AuthorizationLeaseRequest, through: Agent, signal: AbortSignal) => {
    const body = Buffer.from(JSON.stringify(request))
    const headers = { 'Content-Length': body.length, [leaseSignatureHeader]: signLeaseCall(called, signer, body) }
    const sent = send({ ...target, headers, agent: through, signal }).end(body)
    // The end of the response reports a failure too.
    sent.on('error', () => {})
    const [response] = await once(sent, 'response').catch((error: NodeJS.ErrnoException) => {
      const isClosed = sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
      throw isClosed ? new ClosedBeforehand(error.message) : error
    })
    return readReply(response)
  }
  return async (request) => {
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const reply = await sendOnce(request, agent, signal).catch((error: unknown) => {
        if (!(error instanceof ClosedBeforehand) || request.lease === undefined) throw error
        return sendOnce({ lease: request.lease }, newConnections, signal)
      })
      if (request.lease !== undefined && reply.lease === undefined) throw new Error('the reply has no lease')
      return reply
    } catch (error) {
      const cause = signal.aborted ? new Error(`no response within ${timeoutMs} ms`, { cause: error }) : error
      const detail = `The ${service} service cannot be reached at the moment`
      throw new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds: 1, cause })
    }
  }
}

async function readReply(response: IncomingMessage): Promise<AuthorizationLeaseReply> {
  const body = createByteCollector(leaseBounds.replyBytesMax)
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (body.excess(chunk) !== undefined) throw new Error('the reply has too many bytes')
    body.add(chunk)
  }
  const reply = response.statusCode === 200 ? parseLeaseReply(body.collected().toString('utf8')) : undefined
  if (reply === undefined) throw new Error(`the reply has the status ${response.statusCode} or another shape`)
  return reply
}

/** Requests that are reported to the source (limits/fleet-rates.ts). The caller that sends the report ends it. */
export interface Report {
  readonly body: RequestReport
  /** Undefined: the requests may have been counted, and the next report brings the state of the buckets. */
  succeed(counts: RequestCounts | undefined): void
  /** The requests are not reported again: they may have been counted, and the copies have paid for them. */
  fail(error: unknown): void
}

/** Reads of the authorization version that take along what is to be reported to the source. */
export function versionReader(
  acquire: LeaseClient,
  takeReport: () => Report | undefined = () => undefined,
): LeaseSource['readVersion'] {
  return async (since) => {
    const report = takeReport()
    const lease = since === undefined ? {} : { since }
    try {
      const reply = await acquire(report === undefined ? { lease } : { lease, report: report.body })
      endReport(report, reply)
      return reply.lease as AuthorizationVersionReply
    } catch (error) {
      report?.fail(error)
      throw error
    }
  }
}

/** Reports requests without a lease. */
export async function sendReport(acquire: LeaseClient, report: Report): Promise<void> {
  try {
    endReport(report, await acquire({ report: report.body }))
  } catch (error) {
    report.fail(error)
  }
}

function endReport(report: Report | undefined, { counts }: AuthorizationLeaseReply): void {
  if (counts === null) report?.fail(new Error('the requests were not counted'))
  else report?.succeed(counts)
}

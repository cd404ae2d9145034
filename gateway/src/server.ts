import type { RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { newId } from '@payments/chassis/base/id'
import type { Log } from '@payments/chassis/observability/log'
import { createAppServer, type ServerLimits } from '@payments/chassis/process/serve'
import { commonProblems, Problem, type ProblemDefinition } from '@payments/contracts/grammar/problem'
import type { Express } from 'express'
import type { AuditSpool } from './audit/spool.ts'
import { connectionAddress } from './limits/client-ip.ts'
import { type ConnectionLimits, type ConnectionObserver, guardConnections } from './limits/connections.ts'
import { tooManyUnverified, type UnverifiedRequests } from './limits/unverified-requests.ts'
import { encodeForTarget } from './pages/problem-page.ts'
import { auditUnavailable, buildUnreadableRecord, describeRequest, shownUnverifiedPath } from './pipeline/audit.ts'

/**
 * Creates the public server. A request that the HTTP parser rejects gets a problem as response and an audit record.
 *
 * The server ignores `Expect`. The pipeline rejects a missing Host, in whose place a browser gets a page. The size of
 * the request line and the headers is limited, not their number: Node would silently drop headers beyond 2000, so a
 * second Tenant-ID could be among the dropped ones.
 */
export function createGatewayServer(
  app: Express,
  auditing: PublicServer,
  connections: { readonly limits: ConnectionLimits; readonly observer: ConnectionObserver },
  limits: Partial<ServerLimits> = {},
): Server {
  const server = createAppServer(app, { ...limits, requireHostHeader: false })
  server.maxHeadersCount = 0
  const guard = guardConnections(server, connections.limits, connections.observer)
  const handle: RequestListener = (request, response) => {
    if (guard.admit(request, response)) app(request, response)
  }
  server.off('request', app).on('request', handle).on('checkExpectation', handle)
  // The gateway opens no tunnel. Without this listener Node closes the connection without a response and a record.
  server.on('connect', (request, socket) => {
    const problem = new Problem(commonProblems.method_not_allowed, { detail: 'The gateway does not support CONNECT' })
    const known = describeRequest(request)
    reject({ problem, socket: socket as Socket, known, cause: 'CONNECT', target: '' }, auditing)
  })
  server.on('clientError', (error: ParserError, socket) => rejectUnparsed(error, socket as Socket, auditing))
  return server
}

interface PublicServer {
  readonly spool: AuditSpool
  readonly unverified: UnverifiedRequests
  readonly log: Log
  /** The header of this name in every response. */
  readonly strictTransportSecurity?: string | undefined
}

/** `rawPacket` has the bytes in which the parser failed. */
type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

/** The response that Node sends on the socket at the moment. */
const responseOn = (socket: Socket) => (socket as { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined

/** The response to an earlier request, which has arrived as a whole. */
function earlierResponseOn(socket: Socket): ServerResponse | undefined {
  const response = responseOn(socket)
  return response?.req.complete === true ? response : undefined
}

function rejectUnparsed(error: ParserError, socket: Socket, auditing: PublicServer): void {
  if (closing.has(socket)) return
  const isResponding = responseOn(socket)?.headersSent === true && earlierResponseOn(socket) === undefined
  if (error.code === 'ECONNRESET' || !socket.writable || isResponding) {
    socket.destroy()
    return
  }
  const [definition, detail] = parserProblems.get(error.code) ?? unparsed
  const problem = new Problem(definition, { detail })
  const [, target = ''] = /^[A-Z]{3,7} (\S{1,2048})/.exec(error.rawPacket?.toString('latin1', 0, 4096) ?? '') ?? []
  const known = target.startsWith('/') ? { path: shownUnverifiedPath(target) } : {}
  reject({ problem, socket, known, cause: error.code, target }, auditing)
}

interface Rejection {
  readonly problem: Problem
  readonly socket: Socket
  readonly known: Parameters<typeof buildUnreadableRecord>[3]
  readonly cause: string | undefined
  /** Empty where it is not known. */
  readonly target: string
}

/** Sockets that are closed after an earlier response. */
const closing = new WeakSet<Socket>()

/** Responses come in order. Nothing after the earlier one is sent. */
function closeBehind(earlier: ServerResponse, socket: Socket): void {
  closing.add(socket)
  socket.pause()
  earlier.shouldKeepAlive = false
  earlier.once('finish', () => socket.destroySoon())
}

/**
 * Records the rejection of a request that never reaches the pipeline, then responds. Behind a request without a whole
 * response it gets none: it would be taken for the response to that one.
 */
function reject({ problem, socket, known, cause, target }: Rejection, auditing: PublicServer): void {
  const { spool, unverified, log, strictTransportSecurity } = auditing
  const traceId = newId()
  const { status, code } = problem
  // Node removes its error listener from the socket of a CONNECT: an error event would end the process.
  socket.on('error', () => socket.destroy())
  const earlier = earlierResponseOn(socket)
  if (earlier !== undefined) closeBehind(earlier, socket)
  const send = (rejection: Problem) => {
    if (earlier === undefined) respond(socket, rejection, { traceId, target, strictTransportSecurity })
  }
  const address = connectionAddress({ socket })
  const { retryAfterSeconds } = unverified.take(address)
  if (retryAfterSeconds > 0) {
    spool.fold(address)
    send(tooManyUnverified(retryAfterSeconds))
    return
  }
  log.info(
    { trace_id: traceId, ip: socket.remoteAddress, status, code, cause },
    'rejected a request that cannot be parsed',
  )
  if (!spool.reserve('unverified')) {
    spool.fold(address)
    send(auditUnavailable())
    return
  }
  const record = buildUnreadableRecord(problem, traceId, address, known)
  spool.append(record, false, (failure) => send(failure === undefined ? problem : auditUnavailable()))
}

interface Reply extends Pick<PublicServer, 'strictTransportSecurity'>, Pick<Rejection, 'target'> {
  readonly traceId: string
}

function respond(socket: Socket, problem: Problem, { traceId, target, strictTransportSecurity }: Reply): void {
  const { headers, body } = encodeForTarget(problem, traceId, target)
  const { retryAfterSeconds } = problem.options
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${problem.title}`,
      ...(retryAfterSeconds === undefined ? [] : [`Retry-After: ${Math.ceil(retryAfterSeconds)}`]),
      ...(strictTransportSecurity === undefined ? [] : [`Strict-Transport-Security: ${strictTransportSecurity}`]),
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Trace-ID: ${traceId}`,
      // RFC 9110, 15.5.6: a 405 lists the allowed methods. A CONNECT target allows none.
      ...(problem.status === 405 ? ['Allow: '] : []),
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
    () => socket.destroy(),
  )
}

type Rejected = readonly [definition: ProblemDefinition, detail: string]

const unparsed: Rejected = [commonProblems.invalid_request, 'The gateway cannot parse the request as HTTP/1.1']

const parserProblems: ReadonlyMap<string | undefined, Rejected> = new Map<string | undefined, Rejected>([
  ['HPE_HEADER_OVERFLOW', [commonProblems.headers_too_large, 'The request line and headers have more than 16 KiB']],
  ['HPE_INVALID_HEADER_TOKEN', [commonProblems.invalid_header, 'A request header contains an invalid character']],
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    [commonProblems.request_timeout, 'The gateway did not receive the whole request in time'],
  ],
])

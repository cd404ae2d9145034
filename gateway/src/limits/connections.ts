import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressBlock } from '../pipeline/client-ip.ts'

/**
 * **What it does.** Closes connections that take more of the gateway than their share: too many of one address or in all, too
 * many requests in progress on one connection, more response bytes waiting than allowed, or a client that does not read.
 *
 * **Participants.** The server announces each connection and each request. The sweep looks at all connections at an interval
 * of a tenth of `stallMs`, a second at most.
 *
 * **Guarantees.** At most `connectionsMax` connections are open, and at most `perAddressMax` of one address (of one /64, with
 * IPv6). At most `pipelinedMax` requests of one connection are in progress; one more closes the connection. A connection whose
 * client takes less than `progressBytesMin` within `stallMs` while bytes wait for it is closed one sweep later at the latest.
 * Between two sweeps waiting bytes may exceed their limits; a sweep closes the connections with the most waiting bytes first.
 *
 * **Not guaranteed.** That addresses behind a trusted proxy are told apart: there the address of a connection is the proxy's,
 * so the limit per address does not apply, and the proxy must limit the connections of its clients.
 */
export interface ConnectionLimits {
  readonly connectionsMax: number
  readonly perAddressMax: number
  readonly pipelinedMax: number
  /** Bytes of responses that a client has not taken yet, per connection and in all. */
  readonly unflushedBytesPerConnectionMax: number
  readonly unflushedBytesMax: number
  readonly stallMs: number
}

export type CloseReason =
  | 'connections'
  | 'connections_of_address'
  | 'pipelined_requests'
  | 'unflushed_bytes'
  | 'unflushed_bytes_in_all'
  | 'stalled'

/** For metrics. */
export interface ConnectionObserver {
  closed(reason: CloseReason): void
  swept(counts: { readonly connections: number; readonly unflushedBytes: number }): void
}

export interface ConnectionGuard {
  /** False where the request must not be looked at: its connection is being closed. */
  admit(request: IncomingMessage, response: ServerResponse): boolean
}

interface Connection {
  readonly socket: Socket
  /** In progress, in the order of their requests. All but the first keep their bytes to themselves until their turn. */
  readonly responses: Set<ServerResponse>
  flushedBytes: number
  progressAt: number
}

interface Waiting {
  readonly socket: Socket
  readonly bytes: number
}

/** 240 bytes a second, as Kestrel's MinResponseDataRate: less is a client that pretends to read. */
const progressBytesMin = 2_400

export function guardConnections(
  server: Server,
  limits: ConnectionLimits,
  observer: ConnectionObserver,
): ConnectionGuard {
  const connections = new Map<Socket, Connection>()
  const perAddress = new Map<string, number>()
  const close = (socket: Socket, reason: CloseReason) => {
    observer.closed(reason)
    connections.delete(socket)
    // A reset, so that the kernel does not keep the bytes for a client that will not read them either.
    socket.resetAndDestroy()
  }
  server.on('connection', (socket) => {
    const address = addressBlock(socket.remoteAddress ?? '')
    const ofAddress = perAddress.get(address) ?? 0
    if (connections.size >= limits.connectionsMax) return close(socket, 'connections')
    if (ofAddress >= limits.perAddressMax) return close(socket, 'connections_of_address')
    perAddress.set(address, ofAddress + 1)
    connections.set(socket, { socket, responses: new Set(), flushedBytes: 0, progressAt: performance.now() })
    socket.once('close', () => {
      connections.delete(socket)
      const left = (perAddress.get(address) ?? 1) - 1
      if (left === 0) perAddress.delete(address)
      else perAddress.set(address, left)
    })
  })
  const sweep = () => {
    const now = performance.now()
    const waiting: Waiting[] = []
    let unflushedBytes = 0
    for (const connection of connections.values()) {
      const bytes = unflushedBytesOf(connection)
      const isStalled = !hasProgress(connection, now) && now - connection.progressAt >= limits.stallMs
      if (isStalled) close(connection.socket, 'stalled')
      else if (bytes > limits.unflushedBytesPerConnectionMax) close(connection.socket, 'unflushed_bytes')
      else if (bytes > 0) {
        unflushedBytes += bytes
        waiting.push({ socket: connection.socket, bytes })
      }
    }
    observer.swept({ connections: connections.size, unflushedBytes })
    for (const { socket } of largestBeyond(waiting, limits.unflushedBytesMax)) close(socket, 'unflushed_bytes_in_all')
  }
  const timer = setInterval(sweep, Math.min(1_000, limits.stallMs / 10)).unref()
  server.once('close', () => clearInterval(timer))
  return {
    admit({ socket }, response) {
      const connection = connections.get(socket)
      // What the parser still finds in bytes that came before the connection was closed.
      if (connection === undefined) return false
      const { responses } = connection
      if (responses.size >= limits.pipelinedMax) {
        close(socket, 'pipelined_requests')
        return false
      }
      if (responses.size > 0 && unflushedBytesOf(connection) > limits.unflushedBytesPerConnectionMax) {
        close(socket, 'unflushed_bytes')
        return false
      }
      responses.add(response)
      response.once('close', () => responses.delete(response))
      return true
    },
  }
}

/** Those with the most bytes, as many as it takes to be within `bytesMax`. */
function largestBeyond(waiting: Waiting[], bytesMax: number): Waiting[] {
  let excess = waiting.reduce((sum, { bytes }) => sum + bytes, 0) - bytesMax
  if (excess <= 0) return []
  const largest = waiting.sort((a, b) => b.bytes - a.bytes)
  const end = largest.findIndex(({ bytes }) => (excess -= bytes) <= 0)
  return largest.slice(0, end + 1)
}

function unflushedBytesOf({ socket, responses }: Connection): number {
  let bytes = socket.writableLength
  // The response whose turn it is writes into the socket; the others have none yet.
  for (const response of responses) if (response.socket === null) bytes += response.writableLength
  return bytes
}

/**
 * `bytesWritten` of a socket counts what it accepted, and its `writableLength` counts a write as a whole until its end. How far
 * the kernel has got with a long write is known to the handle alone; Node's own write time-out reads the same two numbers, but
 * begins again with each byte that the client sends.
 */
interface Handle {
  readonly bytesWritten: number
  readonly writeQueueSize: number
}

function hasProgress(connection: Connection, now: number): boolean {
  const { socket } = connection
  const handle = (socket as Socket & { _handle?: Handle | null })._handle
  const flushedBytes =
    handle === undefined || handle === null ? socket.bytesWritten : handle.bytesWritten - handle.writeQueueSize
  if (socket.writableLength > 0 && flushedBytes - connection.flushedBytes < progressBytesMin) return false
  connection.flushedBytes = flushedBytes
  connection.progressAt = now
  return true
}

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressBlock } from './client-ip.ts'

/**
 * **What it does.** Closes connections that exceed a limit: connections per address and in total, requests per
 * connection, unread bytes, the time in which a client reads nothing.
 *
 * **Participants.** The sweep checks all connections every tenth of `stallMs`, at most every second.
 *
 * **Guarantees.**
 * - At most `connectionsMax` connections, `perAddressMax` of an address, and `pipelinedMax` requests of one connection.
 * - A connection with waiting bytes whose client reads less than `progressBytesMin` within `stallMs` is closed by the
 *   next sweep.
 * - Waiting bytes exceed their limits at most between two sweeps, which close the connections with the most bytes
 *   first.
 *
 * **Not guaranteed.** Limits per client behind a trusted proxy, which must limit the connections of its clients.
 */
export interface ConnectionLimits {
  readonly connectionsMax: number
  readonly perAddressMax: number
  readonly pipelinedMax: number
  /** Bytes of responses that clients have not read yet, per connection and in total. */
  readonly unflushedBytesPerConnectionMax: number
  readonly unflushedBytesMax: number
  readonly stallMs: number
}

type CloseReason =
  | 'connections'
  | 'connections_of_address'
  | 'pipelined_requests'
  | 'unflushed_bytes'
  | 'unflushed_bytes_in_all'
  | 'stalled'

/** Receives what the metrics need. */
export interface ConnectionObserver {
  onClose(reason: CloseReason): void
  onSweep(counts: { readonly connections: number; readonly unflushedBytes: number }): void
}

interface Connection {
  readonly socket: Socket
  readonly address: string
  /**
   * In progress, in the order of their requests. Only the first writes to the socket; the others buffer their bytes.
   */
  readonly responses: Set<ServerResponse>
  flushedBytes: number
  progressAt: number
}

interface Unflushed {
  readonly socket: Socket
  readonly bytes: number
}

/** 240 bytes a second, the default of Kestrel's MinResponseDataRate. */
const progressBytesMin = 2_400

export function guardConnections(server: Server, limits: ConnectionLimits, observer: ConnectionObserver) {
  const connections = new Map<Socket, Connection>()
  const perAddress = new Map<string, number>()
  const close = (socket: Socket, reason: CloseReason) => {
    observer.onClose(reason)
    connections.delete(socket)
    // A reset, so that the kernel does not buffer the bytes for a client that does not read.
    socket.resetAndDestroy()
  }
  server.on('connection', (socket) => {
    const address = addressBlock(socket.remoteAddress ?? '')
    const ofAddress = perAddress.get(address) ?? 0
    if (connections.size >= limits.connectionsMax) {
      const idle = idleOfLargest(connections.values(), perAddress, ofAddress + 1)
      if (idle === undefined) return close(socket, 'connections')
      close(idle.socket, 'connections')
    }
    if (ofAddress >= limits.perAddressMax) return close(socket, 'connections_of_address')
    perAddress.set(address, ofAddress + 1)
    connections.set(socket, { socket, address, responses: new Set(), flushedBytes: 0, progressAt: performance.now() })
    socket.once('close', () => {
      connections.delete(socket)
      const left = (perAddress.get(address) ?? 1) - 1
      if (left === 0) perAddress.delete(address)
      else perAddress.set(address, left)
    })
  })
  const sweep = () => {
    const now = performance.now()
    const waiting: Unflushed[] = []
    let unflushedBytes = 0
    for (const connection of connections.values()) {
      const bytes = countUnflushedBytes(connection)
      const isStalled = !hasProgress(connection, now) && now - connection.progressAt >= limits.stallMs
      if (isStalled) close(connection.socket, 'stalled')
      else if (bytes > limits.unflushedBytesPerConnectionMax) close(connection.socket, 'unflushed_bytes')
      else if (bytes > 0) {
        unflushedBytes += bytes
        waiting.push({ socket: connection.socket, bytes })
      }
    }
    observer.onSweep({ connections: connections.size, unflushedBytes })
    for (const { socket } of largestBeyond(waiting, limits.unflushedBytesMax)) close(socket, 'unflushed_bytes_in_all')
  }
  const timer = setInterval(sweep, Math.min(1_000, limits.stallMs / 10)).unref()
  server.once('close', () => clearInterval(timer))
  return {
    /** Returns false when the request must be ignored because its connection is being closed. */
    admit({ socket }: IncomingMessage, response: ServerResponse): boolean {
      const connection = connections.get(socket)
      // The parser found this request in bytes from before the connection was closed.
      if (connection === undefined) return false
      const { responses } = connection
      if (responses.size >= limits.pipelinedMax) {
        close(socket, 'pipelined_requests')
        return false
      }
      if (responses.size > 0 && countUnflushedBytes(connection) > limits.unflushedBytesPerConnectionMax) {
        close(socket, 'unflushed_bytes')
        return false
      }
      responses.add(response)
      response.on('close', () => responses.delete(response))
      return true
    },
  }
}

/**
 * Returns the oldest connection without a request in progress of the address with the most connections, if that has
 * more than `connectionsMin`.
 */
function idleOfLargest(
  connections: Iterable<Connection>,
  perAddress: ReadonlyMap<string, number>,
  connectionsMin: number,
): Connection | undefined {
  const [largest, count] = Array.from(perAddress).reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0])
  if (count <= connectionsMin) return undefined
  for (const connection of connections) {
    if (connection.address === largest && connection.responses.size === 0) return connection
  }
  return undefined
}

/** Returns the connections with the most bytes, as few as bring the total within `bytesMax`. */
function largestBeyond(waiting: Unflushed[], bytesMax: number): Unflushed[] {
  let excess = waiting.reduce((sum, { bytes }) => sum + bytes, 0) - bytesMax
  if (excess <= 0) return []
  const largest = waiting.sort((a, b) => b.bytes - a.bytes)
  const end = largest.findIndex(({ bytes }) => (excess -= bytes) <= 0)
  return largest.slice(0, end + 1)
}

function countUnflushedBytes({ socket, responses }: Connection): number {
  let bytes = socket.writableLength
  // The current response writes to the socket. The later responses have no socket yet.
  for (const response of responses) if (response.socket === null) bytes += response.writableLength
  return bytes
}

/**
 * Only the handle knows the progress of a long write. `bytesWritten` of a socket counts accepted bytes, and
 * `writableLength` counts a write whole until its end. Node's write time-out uses the same numbers, but starts again
 * with each byte that the client sends.
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

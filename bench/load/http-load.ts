/**
 * The load generator of a benchmark, a separate process. It sends GET requests over plain sockets, which cost little
 * CPU beside the measured process.
 *
 * Without `perSecond`, each connection sends its next request when the response arrives. With `perSecond`, requests are
 * due at even intervals and wait while every connection is busy. Latency counts from the due time of a request.
 */
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { serveParent } from '../measure/child-process.ts'
import { percentile } from '../measure/sample-statistics.ts'
import { atEvenIntervals } from './even-intervals.ts'
import { onMessage } from './plain-http.ts'

export interface LoadRequest {
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly seconds: number
  readonly connections: number
  readonly perSecond?: number
}

export interface LoadResult {
  readonly requests: number
  /** How often each status other than 200 was received; `closed` and `unanswered` mean no response. */
  readonly failures: Readonly<Record<string, number>>
  readonly p50Ms: number
  readonly p99Ms: number
  /** In the order of the responses. */
  readonly latenciesMs: readonly number[]
}

interface Connection {
  /** Another one after each response with `Connection: close`. */
  socket: Socket
  responded: (status: string) => void
}

const drainTimeoutMs = 20_000
const tracePrefix = randomBytes(9)
  .toString('hex')
  .replace(/^(.{8})(.{4}).(.{3}).(.{1}).*$/, '$1-$2-4$3-800$4')
let sent = 0

serveParent({}, load)

async function load(request: LoadRequest): Promise<LoadResult> {
  const { port, seconds, connections: count } = request
  const connections = await Promise.all(Array.from({ length: count }, () => open(port)))
  const latencies: number[] = []
  const failures: Record<string, number> = {}
  const fail = (reason: string) => {
    failures[reason] = (failures[reason] ?? 0) + 1
  }
  const head = formatHead(request)
  const send = (connection: Connection, dueAt: number, completed: () => void) => {
    connection.responded = (status) => {
      latencies.push(performance.now() - dueAt)
      if (status !== '200') fail(status)
      completed()
    }
    connection.socket.write(`${head}${nextTraceId()}\r\n\r\n`)
  }
  const endsAt = performance.now() + seconds * 1_000
  if (request.perSecond === undefined) await saturate(connections, endsAt, send)
  else {
    const unanswered = await sendPaced(connections, { perSecond: request.perSecond, endsAt }, send)
    for (let left = unanswered; left > 0; left -= 1) fail('unanswered')
  }
  for (const { socket } of connections) socket.removeAllListeners('close').destroy()
  const [p50Ms, p99Ms] = [percentile(latencies, 0.5), percentile(latencies, 0.99)]
  return { requests: latencies.length, failures, p50Ms, p99Ms, latenciesMs: latencies }
}

type Send = (connection: Connection, dueAt: number, completed: () => void) => void

async function saturate(connections: readonly Connection[], endsAt: number, send: Send): Promise<void> {
  const run = (connection: Connection) =>
    new Promise<void>((resolve) => {
      const next = () => {
        if (performance.now() < endsAt && !connection.socket.destroyed) send(connection, performance.now(), next)
        else resolve()
      }
      send(connection, performance.now(), next)
    })
  await Promise.all(connections.map(run))
}

/** Returns the number of requests without a response. */
async function sendPaced(
  connections: readonly Connection[],
  { perSecond, endsAt }: { perSecond: number; endsAt: number },
  send: Send,
): Promise<number> {
  const idle = [...connections]
  const waiting: number[] = []
  const use = (connection: Connection, dueAt: number) =>
    send(connection, dueAt, () => {
      const next = waiting.shift()
      if (next === undefined) idle.push(connection)
      else use(connection, next)
    })
  await atEvenIntervals(perSecond, endsAt, (dueAt) => {
    const connection = idle.pop()
    if (connection === undefined) waiting.push(dueAt)
    else use(connection, dueAt)
  })
  const deadline = performance.now() + drainTimeoutMs
  while (idle.length < connections.length && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 5))
  return connections.length - idle.length + waiting.length
}

function formatHead({ path, headers }: LoadRequest): string {
  const lines = Object.entries({ Host: 'bench', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}Trace-ID: `
}

/** A random UUID per request would cost more than the request. Only the last digits change. */
function nextTraceId(): string {
  sent += 1
  return `${tracePrefix}-${sent.toString(16).padStart(12, '0')}`
}

function open(port: number): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const dial = () => {
      const socket = connect(port, '127.0.0.1')
      onMessage(socket, (head) => {
        if (/\r\nconnection: close/i.test(head)) {
          socket.removeAllListeners('close').destroy()
          connection.socket = dial()
        }
        connection.responded(head.slice(9, 12))
      })
      socket.on('close', () => connection.responded('closed'))
      socket.on('error', reject)
      return socket
    }
    const connection: Connection = { socket: dial(), responded: () => {} }
    connection.socket.once('connect', () => resolve(connection))
  })
}

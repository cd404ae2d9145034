import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createListener, type Server as Listener, type ListenOptions } from 'node:net'
import type { Express } from 'express'

/**
 * Limits of every listener: 16 KiB of headers within 10 s, a whole request within 60 s, 100 s idle. The server closes
 * the connection of a slower client.
 */
const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 100_000,
  connectionsCheckingInterval: 1_000,
}

export type ServerLimits = typeof limits

/**
 * Serves one method and target before Express, which costs more than a small operation that is called continually.
 * `isDraining`: each response must request that the client close the connection.
 */
export type RawListener = (request: IncomingMessage, response: ServerResponse, isDraining: () => boolean) => void

/** By method and target: `POST /internal/authorization-lease`. */
export type RawListeners = ReadonlyMap<string, RawListener>

const rawListeners = 'raw listeners'

/** Adds listeners to the server that `createAppServer` makes for the app. */
export function setRawListeners(app: Express, listeners: RawListeners): void {
  app.set(rawListeners, listeners)
}

/**
 * A server for an Express app and its raw listeners. While the process drains, each response requests that its client
 * close the connection.
 */
export function createAppServer(
  app: Express,
  options: Partial<ServerLimits> & { requireHostHeader?: boolean } = {},
): Server {
  const listeners = app.get(rawListeners) as RawListeners | undefined
  const isDraining = () => !server.listening || app.enabled('draining')
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const raw = listeners?.get(`${request.method} ${request.url}`)
    if (raw === undefined) app(request, response)
    else raw(request, response, isDraining)
  }
  const server = createServer({ ...limits, ...options }, listeners === undefined ? app : listener)
  const { writeHead } = ServerResponse.prototype
  app.response.writeHead = function (this: ServerResponse, ...parameters: unknown[]) {
    if (isDraining()) this.shouldKeepAlive = false
    return (writeHead as (...all: unknown[]) => ServerResponse).apply(this, parameters)
  } as typeof app.response.writeHead
  return server
}

/**
 * Sockets that a server listens on. Node accepts one connection of each in a turn of the event loop. With one socket, a
 * connection would wait for as many turns as connections were opened before it, which takes seconds while the process
 * is busy. Only Linux divides connections among the sockets of a port.
 */
const socketsMax = process.platform === 'linux' ? 8 : 1

const furtherListeners = new WeakMap<Server, readonly Listener[]>()

/** The server and its further sockets. Each one counts the connections that it has accepted. */
export function listListeners(server: Server): readonly Listener[] {
  return [server, ...(furtherListeners.get(server) ?? [])]
}

/** Resolves with the port when the server listens. Rejects if the port is taken. */
export async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<number> {
  if (socketsMax === 1) return startListening(server, { host, port })
  // A socket that shares its port would share it with sockets of another process too.
  if (port !== 0) await reserve({ host, port })
  const shared = { host, port: await startListening(server, { host, port, reusePort: true }), reusePort: true }
  const further = Array.from({ length: socketsMax - 1 }, () =>
    createListener({ allowHalfOpen: true, noDelay: true }, (socket) => void server.emit('connection', socket)),
  )
  furtherListeners.set(server, further)
  await Promise.all(further.map((listener) => startListening(listener, shared)))
  return shared.port
}

/** Rejects if a process listens on the port. */
async function reserve(address: ListenOptions): Promise<void> {
  const listener = createListener()
  await startListening(listener, address)
  await closeListener(listener)
}

function startListening(listener: Listener, address: ListenOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject)
    listener.listen(address, () => {
      listener.off('error', reject)
      resolve((listener.address() as AddressInfo).port)
    })
  })
}

/** Accepts no new connection, waits for requests in progress, and closes all connections after `graceMs`. */
export async function stopServer(server: Server, graceMs: number): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), graceMs)
  const stopped = Promise.all(listListeners(server).map(closeListener))
  server.closeIdleConnections()
  await stopped
  clearTimeout(timer)
}

/** Resolves when the listener has closed, and the connections that it has accepted. */
function closeListener(listener: Listener): Promise<void> {
  return new Promise((resolve) => void listener.close(() => resolve()))
}

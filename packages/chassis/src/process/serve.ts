import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
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

/** Resolves with the port when the server listens. Rejects if the port is taken. */
export function listen(server: Server, address: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(address.port, address.host, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

/** Accepts no new connection, waits for requests in progress, and closes all connections after `graceMs`. */
export function stopServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    server.closeIdleConnections()
  })
}

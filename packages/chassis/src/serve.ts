import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import closeWithGrace from 'close-with-grace'
import type { Express } from 'express'
import { ConfigError } from './config.ts'
import type { Log } from './log.ts'

/**
 * Limits of every listener: 16 KiB of headers within 10 s, a whole request within 60 s, 100 s idle. A client that is
 * slower is cut off.
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
 * A server for an Express app whose requests and responses are born with the prototypes Express would otherwise set on
 * each of them: on Node 20 that change of prototype costs four times the rest of the request (expressjs/express#5998).
 * They are classes because V8 gives instances made by Reflect.construct with a plain function a hidden class each.
 */
export function createFastServer(
  app: Express,
  options: Partial<ServerLimits> & { requireHostHeader?: boolean } = {},
): Server {
  class BornRequest extends IncomingMessage {}
  class BornResponse extends ServerResponse {
    // While the server drains, each response tells its client to take another connection.
    override writeHead(...parameters: unknown[]): this {
      if (!server.listening) this.shouldKeepAlive = false
      return (super.writeHead as (...all: unknown[]) => this).apply(this, parameters)
    }
  }
  app.request = Object.setPrototypeOf(BornRequest.prototype, app.request)
  app.response = Object.setPrototypeOf(BornResponse.prototype, app.response)
  const server = createServer(
    { ...limits, ...options, IncomingMessage: BornRequest, ServerResponse: BornResponse },
    app,
  )
  return server
}

/** Resolves with the port once the server listens; rejects when the port is taken. */
export function listen(server: Server, address: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(address.port, address.host, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

/** Takes no new connection, lets requests in work finish, then ends what is left after `graceMs`. */
export function stopServer(server: Server, graceMs = 5_000): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    server.closeIdleConnections()
  })
}

/**
 * The frame of every main: starts the process and drains it on a signal or a fatal error, within 10 s.
 * `start` resolves with what to do at the end. A bad configuration is one message and exit code 1.
 */
export async function run(start: () => Promise<{ log: Log; drain: () => Promise<void> }>): Promise<void> {
  try {
    const { log, drain } = await start()
    closeWithGrace({ delay: 10_000, logger: false }, async ({ err, signal }) => {
      if (err) log.fatal({ err }, 'stopping after a fatal error')
      else log.info({ signal }, 'stopping')
      await drain()
    })
  } catch (error) {
    const shown = error instanceof ConfigError ? error.message : error
    console.error(shown)
    process.exit(1)
  }
}

import { createServer, type RequestListener, type Server } from 'node:http'
import { listen, stopServer } from '@payments/chassis/process/serve'

/** Starts the HTTP server that replaces services. Responds with `{}` until a test calls `respond`. */
export async function startUpstream() {
  const state: { respond: RequestListener } = { respond: (_request, response) => void response.end('{}') }
  const server: Server = createServer({ keepAliveTimeout: 100_000 }, (incoming, response) =>
    state.respond(incoming, response),
  )
  const url = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}`
  return {
    url,
    /** Responds as the server does, to a request of another server. */
    listener: ((incoming, response) => state.respond(incoming, response)) satisfies RequestListener as RequestListener,
    server,
    respond: (listener: RequestListener) => {
      state.respond = listener
    },
    stop: () => stopServer(server, 0),
  }
}

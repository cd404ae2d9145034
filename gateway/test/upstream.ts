import { createServer, type RequestListener, type Server } from 'node:http'
import { listen, stopServer } from '@payments/chassis/serve'

/** An HTTP server in place of a service; `answer` sets the listener that responds. */
export async function startUpstream() {
  const state: { answer: RequestListener } = { answer: (_request, response) => void response.end('{}') }
  const server: Server = createServer({ keepAliveTimeout: 100_000 }, (incoming, response) =>
    state.answer(incoming, response),
  )
  const url = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}`
  return {
    url,
    server,
    answer: (listener: RequestListener) => {
      state.answer = listener
    },
    stop: () => stopServer(server, 0),
  }
}

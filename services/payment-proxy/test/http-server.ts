import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface HttpCall {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** Path and query as they arrived. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A JSON response; `lost`: the connection is closed instead; a function writes the response itself. */
export type HttpReply =
  | { readonly status: number; readonly body: unknown }
  | 'lost'
  | ((response: ServerResponse) => void)

/** A real HTTP server on loopback. */
export async function httpServer(respond: (call: HttpCall) => HttpReply | Promise<HttpReply>) {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const { method = '', url: target = '/', headers } = request
      const { pathname: path, searchParams: query } = new URL(target, 'http://x')
      const call = { method, path, query, target, headers, body: Buffer.concat(chunks).toString('utf8') }
      const reply = await respond(call)
      if (reply === 'lost') response.socket?.destroy()
      else if (typeof reply === 'function') reply(response)
      else response.writeHead(reply.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(reply.body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

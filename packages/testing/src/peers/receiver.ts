/** A webhook endpoint: a real HTTP server on loopback that records every request and responds as the test sets. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { listen, stopServer } from '@payments/chassis/process/serve'

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The bytes as they arrived, for signatures. */
  readonly body: Buffer
  readonly at: Date
}

export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** Returns a reply, or writes to the response itself (a hang, a reset, an endless body) and returns nothing. */
export type Responder = (received: Received, response: ServerResponse) => Reply | undefined | Promise<Reply | undefined>

export interface Receiver {
  readonly url: string
  readonly received: readonly Received[]
  readonly respondWith: (responder: Responder) => void
  /** The matching requests, when there are `count`. Throws at the deadline and names the requests that arrived. */
  readonly waitFor: (
    predicate: (received: Received) => boolean,
    options?: { timeoutMs?: number; count?: number },
  ) => Promise<Received[]>
  readonly close: () => Promise<void>
}

const bodyBytesMax = 8 * 1024 * 1024
const pollMs = 10

export async function receiver(): Promise<Receiver> {
  const received: Received[] = []
  let responder: Responder = () => ({ status: 200 })
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > bodyBytesMax) request.destroy()
      else chunks.push(chunk)
    })
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      const one: Received = { method, path, headers, body: Buffer.concat(chunks), at: new Date() }
      received.push(one)
      void respond(one, response)
    })
  })
  const respond = async (one: Received, response: ServerResponse) => {
    try {
      const reply = await responder(one, response)
      if (reply !== undefined) response.writeHead(reply.status, { ...reply.headers }).end(reply.body)
    } catch (error) {
      // A responder that throws is a defect of the test, which gets a 500 with the reason.
      response.writeHead(500).end(String(error))
    }
  }
  const port = await listen(server, { host: '127.0.0.1', port: 0 })
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    respondWith(next) {
      responder = next
    },
    async waitFor(predicate, { timeoutMs = 30_000, count = 1 } = {}) {
      const deadline = Date.now() + timeoutMs
      for (;;) {
        const fitting = received.filter(predicate)
        if (fitting.length >= count) return fitting
        if (Date.now() > deadline) throw new Error(unmet(count, fitting.length, timeoutMs, received))
        await delay(pollMs)
      }
    },
    close: () => stopServer(server, 0),
  }
}

function unmet(count: number, fitting: number, timeoutMs: number, received: readonly Received[]): string {
  const shown = received
    .slice(-10)
    .map(({ method, path, body }) => `${method} ${path} ${body.toString('utf8', 0, 200)}`)
  return `Expected ${count} fitting requests within ${timeoutMs} ms and got ${fitting}. All ${received.length}, the last ten:\n${shown.join('\n')}`
}

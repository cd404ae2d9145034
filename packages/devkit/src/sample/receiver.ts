/** The webhook endpoints of the sample data: one accepts everything, the others fail in different ways. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type PortUse, portFrom } from '../machine/ports.ts'
import type { Environment } from '../machine/profile.ts'

interface EndpointResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
}

const accepted: EndpointResponse = { status: 200, body: { received: true } }

/** By path: the response to an event of a type. */
const endpoints: Readonly<Record<string, (eventType: string) => EndpointResponse>> = {
  '/orders': () => accepted,
  '/loyalty': (eventType) =>
    eventType.endsWith('.void') ? { status: 500, body: { error: 'a voided order has no points' } } : accepted,
  '/accounting': (eventType) =>
    eventType.endsWith('.refund') ? { status: 302, headers: { Location: '/login' } } : accepted,
  '/warehouse': () => ({ status: 503, body: { error: 'could not acquire a database connection' } }),
  '/campaigns': () => ({ status: 410, body: { error: 'this integration was removed' } }),
}

const bodyBytesMax = 1024 * 1024

export function receiverPort(env: Environment): PortUse {
  const variable = 'SAMPLE_RECEIVER_PORT'
  return { port: portFrom(env, variable, 8_092), purpose: 'the webhook endpoints of the sample data', variable }
}

interface Receiver {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Listens on loopback before it returns. */
export async function startReceiver({ port }: PortUse): Promise<Receiver> {
  const server = createServer((request, response) => {
    void respond(request, response).catch(() => request.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const endpoint = endpoints[request.url ?? '']
  const { status, headers = {}, body } = endpoint?.(await readEventType(request)) ?? { status: 404 }
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  response.end(body === undefined ? '' : JSON.stringify(body))
}

/** Throws for a body that is too long or no event. */
async function readEventType(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) throw new Error('the body is too long')
    chunks.push(chunk)
  }
  return String(JSON.parse(Buffer.concat(chunks).toString('utf8')).event_type)
}

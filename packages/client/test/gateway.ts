/** A client, and an HTTP server on loopback that records its requests and responds as a test sets. */
import { type Received, type Receiver, type Reply, receiver } from '@payments/testing/peers/receiver'
import { type ClientOptions, createClient } from '../src/client.ts'

export interface Gateway {
  readonly server: Receiver
  readonly client: ReturnType<typeof createClient>
  /** Replies one after the other; the last one from then on. */
  readonly reply: (...replies: Reply[]) => void
  readonly close: () => Promise<void>
}

export const tenantId = '0191e4a2-0000-7d11-8c55-91b6e0a7c001'
const fast = { delayMs: 1, delayMsMax: 2 }

export async function gateway(options: Partial<ClientOptions> = {}): Promise<Gateway> {
  const server = await receiver()
  const { retry, ...others } = options
  const client = createClient({
    baseUrl: server.url,
    credential: 'psk_dev_value',
    tenantId,
    retry: { ...fast, ...retry },
    ...others,
  })
  return {
    server,
    client,
    reply(...replies) {
      let count = 0
      server.respondWith(() => replies[Math.min(count++, replies.length - 1)])
    },
    close: () => server.close(),
  }
}

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

export const problem = (status: number, code: string, members: object = {}, headers: Record<string, string> = {}) =>
  json(
    status,
    {
      type: `/problems/${code}`,
      title: code,
      status,
      detail: `Detail of ${code}`,
      code,
      trace_id: 'trace',
      ...members,
    },
    headers,
  )

export const receivedHeaders = (server: Receiver, name: string) => server.received.map(({ headers }) => headers[name])

export const readBody = (received: Received | undefined): unknown =>
  JSON.parse(received?.body.toString('utf8') ?? 'null')

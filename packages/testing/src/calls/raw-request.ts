import { Agent, request } from 'node:http'
import { createAppServer, listen, stopServer } from '@payments/chassis/process/serve'
import type { App } from '@payments/chassis/request/app'

interface RawRequest {
  readonly method: string
  /** Sent as it is. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Buffer | undefined
}

export interface RawReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

export interface Listening {
  readonly send: (sent: RawRequest) => Promise<RawReply>
  readonly stop: () => Promise<void>
}

const timeoutMs = 30_000

/** The app behind the server that it has in production, and a client that sends what no client library would. */
export async function listening(app: App): Promise<Listening> {
  const server = createAppServer(app)
  const client = rawClient(await listen(server, { host: '127.0.0.1', port: 0 }))
  return {
    send: client.send,
    stop: async () => {
      client.close()
      await stopServer(server, 0)
    },
  }
}

/** A client of a server on loopback that sends what no client library would. */
export function rawClient(port: number): Pick<Listening, 'send'> & { readonly close: () => void } {
  const agent = new Agent({ keepAlive: true })
  return { send: (sent) => sendRaw(agent, port, sent), close: () => agent.destroy() }
}

function sendRaw(agent: Agent, port: number, { method, target, headers, body }: RawRequest): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const all = { ...(headers as Record<string, string | string[]>), ...length }
    const sending = request({ host: '127.0.0.1', port, agent, method, path: target, headers: all, timeout: timeoutMs })
    sending.on('timeout', () => sending.destroy(new Error(`${method} ${target}: no response in ${timeoutMs} ms`)))
    // After the response, an unread rest of the body is ignored.
    sending.on('error', reject)
    sending.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
      })
    })
    sending.end(body)
  })
}

import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'

export interface PostResponse {
  /** `none`: no response. */
  readonly status: string
  readonly text: string
}

const timeoutMs = 30_000
const agent = new Agent({ keepAlive: true, maxSockets: 512 })

/** A POST with its own Idempotency-Key and Trace-ID, on a persistent connection. Never rejects. */
export function post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<PostResponse> {
  const own = { 'Trace-ID': randomUUID(), 'Idempotency-Key': randomUUID(), 'Content-Length': Buffer.byteLength(body) }
  return new Promise((resolve) => {
    const none = () => resolve({ status: 'none', text: '' })
    const outgoing = request(url, { method: 'POST', agent, headers: { ...headers, ...own }, timeout: timeoutMs })
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ status: String(response.statusCode), text: Buffer.concat(chunks).toString() }))
      response.on('error', none)
    })
    outgoing.on('timeout', () => outgoing.destroy())
    outgoing.on('error', none)
    outgoing.end(body)
  })
}

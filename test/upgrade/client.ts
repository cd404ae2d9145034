import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

interface Sent {
  readonly method: string
  readonly path: string
  readonly body?: object
  /** The value of an API key. */
  readonly key: string
  /** The only status that keeps the promise. */
  readonly expected: number
}

/**
 * Sends a request. Throws when the response has another status, or when there is none. On a busy machine one process
 * can respond too late to another one, and the request gets a 503 with `Retry-After`. Only then it is sent again, with
 * the same Idempotency-Key.
 */
export type Send = (sent: Sent) => Promise<any>

interface Response {
  readonly status: number | undefined
  readonly text: string
  readonly traceId: string
  readonly mayRepeat: boolean
}

const timeoutMs = 60_000
const repetitionsMax = 20

/** A client of the platform with one connection, which it uses again until a response closes the connection. */
export function openClient(port: number, tenantId: string): { send: Send; close: () => void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send: Send = async (sent) => {
    const idempotencyKey = randomUUID()
    for (let repetitions = 0; ; repetitions += 1) {
      const { status, text, traceId, mayRepeat } = await sendOnce(sent, idempotencyKey)
      if (status === sent.expected) return text === '' ? undefined : JSON.parse(text)
      if (!mayRepeat || repetitions === repetitionsMax)
        throw new Error(
          `${sent.method} ${sent.path}, Trace-ID ${traceId}: ${status} instead of ${sent.expected}: ${text}`,
        )
      await delay(1_000)
    }
  }
  const sendOnce = ({ method, path, body, key }: Sent, idempotencyKey: string) =>
    new Promise<Response>((resolve, reject) => {
      const traceId = randomUUID()
      const bytes = body === undefined ? undefined : JSON.stringify(body)
      const headers = {
        authorization: `Bearer ${key}`,
        'tenant-id': tenantId,
        'trace-id': traceId,
        ...(method === 'POST' ? { 'idempotency-key': idempotencyKey } : {}),
        ...(bytes === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) }),
      }
      const fail = (reason: string) => reject(new Error(`${method} ${path}, Trace-ID ${traceId}: ${reason}`))
      const sending = request({ host: '127.0.0.1', port, agent, method, path, headers, timeout: timeoutMs })
      sending.on('timeout', () => sending.destroy(new Error(`no response in ${timeoutMs} ms`)))
      sending.on('error', (error) => fail(String(error)))
      sending.on('response', (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('error', (error) => fail(`the response broke off: ${error}`))
        response.on('end', () => {
          const { statusCode: status, headers } = response
          resolve({ status, text, traceId, mayRepeat: status === 503 && headers['retry-after'] !== undefined })
        })
      })
      sending.end(bytes)
    })
  return { send, close: () => agent.destroy() }
}

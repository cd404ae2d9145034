/**
 * The receiver of the dispatcher benchmarks, a separate process: one port per destination, and one destination that
 * never responds. Plain sockets keep its CPU low.
 */
import type { Socket } from 'node:net'
import { listenForMessages } from '../load/plain-http.ts'
import { serveParent } from '../measure/child-process.ts'

export interface ReceiverReady {
  readonly urls: readonly string[]
  /** Accepts connections and never responds. */
  readonly hangingUrl: string
}

export interface ReceiverReport {
  /** Deliveries that got a response since the start. */
  readonly responded: number
  /** Milliseconds from publishing to arrival, of the deliveries since the previous report. */
  readonly arrivalMs: readonly number[]
}

let responded = 0
let arrivalMs: number[] = []

const count = Number(process.argv[2])
const urls: string[] = []
for (let index = 0; index < count; index += 1) urls.push(await listenForMessages(respond))
const ready: ReceiverReady = { urls, hangingUrl: await listenForMessages(() => {}) }
serveParent<ReceiverReady, object, ReceiverReport>(ready, async () => {
  const report = { responded, arrivalMs }
  arrivalMs = []
  return report
})

function respond(body: string, socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
  responded += 1
  const sentAt = /"sent_at":(\d+)/.exec(body.slice(0, 300))?.[1]
  if (sentAt !== undefined) arrivalMs.push(Date.now() - Number(sentAt))
}

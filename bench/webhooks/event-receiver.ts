/**
 * The receiver of `npm run bench event`, a separate process. It responds at once, and keeps the time at which each
 * event arrived first.
 */
import { listenForMessages } from '../load/plain-http.ts'
import { serveParent } from '../measure/child-process.ts'
import { machineMs } from '../measure/sample-statistics.ts'

export interface EventReceiverReady {
  readonly url: string
}

/** Times on the clock of the machine. */
interface Arrival {
  readonly transactionId: string
  readonly arrivedMs: number
  /** Of the body. */
  readonly bytes: number
}

export interface EventReceiverReport {
  /** Since the previous report. */
  readonly arrivals: readonly Arrival[]
  /** Deliveries of an event that had arrived, since the previous report. */
  readonly duplicates: number
}

interface DeliveryBody {
  readonly tenant_event_id: string
  readonly metadata: { readonly payload: { readonly transaction: { readonly id: string } } }
}

const known = new Set<string>()
let arrivals: Arrival[] = []
let duplicates = 0

const url = await listenForMessages((body, socket) => {
  const arrivedMs = machineMs()
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
  const { tenant_event_id: eventId, metadata } = JSON.parse(body) as DeliveryBody
  if (known.has(eventId)) {
    duplicates += 1
    return
  }
  known.add(eventId)
  arrivals.push({ transactionId: metadata.payload.transaction.id, arrivedMs, bytes: body.length })
})
serveParent<EventReceiverReady, object, EventReceiverReport>({ url }, async () => {
  const report = { arrivals, duplicates }
  arrivals = []
  duplicates = 0
  return report
})

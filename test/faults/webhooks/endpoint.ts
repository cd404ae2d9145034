import type { ServerResponse } from 'node:http'
import { type Received, type Receiver, type Reply, receiver } from '@payments/testing/peers/receiver'

/** The response of a destination. `nth`: number of this request for this event, from 1. */
export type Behaviour = (
  one: Received,
  response: ServerResponse,
  nth: number,
) => Reply | undefined | Promise<Reply | undefined>

export const ok: Behaviour = () => ({ status: 200 })
/** Delays responses until it is opened. */
export function holding(then: Behaviour): { readonly behaviour: Behaviour; readonly open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const behaviour: Behaviour = async (...given) => {
    await opened
    return then(...given)
  }
  return { behaviour, open: () => open() }
}

export const fails: Behaviour = () => ({ status: 500, body: 'out of order' })

/** Fails at the first attempt of every other event, which is too seldom for a breaker to open. */
export function flaky(): Behaviour {
  let events = 0
  return (_one, _response, nth) => {
    if (nth === 1) events += 1
    return { status: nth === 1 && events % 2 === 0 ? 503 : 200 }
  }
}

/** The requests of one event at one destination. */
interface Arrival {
  readonly tenantIds: ReadonlySet<string>
  readonly at: Date
  readonly seen: number
  /** How many got a 2xx. */
  readonly accepted: number
}

/** The tenants' endpoints: one server, a destination for each name. */
export interface Endpoint {
  readonly buildUrl: (name: string) => string
  readonly port: number
  readonly behave: (name: string, behaviour: Behaviour) => void
  /** By the id of the event. */
  readonly arrivalsAt: (name: string) => ReadonlyMap<string, Arrival>
  readonly receivedAt: (name: string) => readonly Received[]
  readonly waitFor: Receiver['waitFor']
  readonly close: () => Promise<void>
}

interface Counted {
  readonly tenantIds: Set<string>
  readonly at: Date
  seen: number
  accepted: number
}

const accepts = (status: number) => status >= 200 && status < 300

export async function openEndpoint(): Promise<Endpoint> {
  const server = await receiver()
  const behaviours = new Map<string, Behaviour>()
  const arrivals = new Map<string, Map<string, Counted>>()
  server.respondWith(async (one, response) => {
    const name = one.path.slice(1)
    const events = arrivals.get(name) ?? new Map<string, Counted>()
    arrivals.set(name, events)
    const message = JSON.parse(one.body.toString('utf8')) as { tenant_id: string; tenant_event_id: string }
    const counted = events.get(message.tenant_event_id) ?? { tenantIds: new Set(), at: one.at, seen: 0, accepted: 0 }
    events.set(message.tenant_event_id, counted)
    counted.tenantIds.add(message.tenant_id)
    counted.seen += 1
    const reply = await (behaviours.get(name) ?? ok)(one, response, counted.seen)
    // A behaviour that writes the response itself has sent the status by now, or never does.
    if (reply === undefined ? response.headersSent && accepts(response.statusCode) : accepts(reply.status))
      counted.accepted += 1
    return reply
  })
  return {
    buildUrl: (name) => `${server.url}/${name}`,
    port: Number(new URL(server.url).port),
    behave: (name, behaviour) => behaviours.set(name, behaviour),
    arrivalsAt: (name) => arrivals.get(name) ?? new Map(),
    receivedAt: (name) => server.received.filter(({ path }) => path === `/${name}`),
    waitFor: server.waitFor,
    close: server.close,
  }
}

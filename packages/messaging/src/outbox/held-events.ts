export interface HeldEventsOptions {
  readonly eventsMax: number
  readonly bytesMax: number
}

interface Held {
  events: number
  bytes: number
}

/** One tenant holds at most this part, so the events of others find memory during a flood of its events. */
const tenantShare = 1 / 4

/** Counts the events that a relay has in memory, in total and per tenant. */
export class HeldEvents {
  readonly #options: HeldEventsOptions
  readonly #total: Held = { events: 0, bytes: 0 }
  readonly #byTenant = new Map<string, Held>()

  constructor(options: HeldEventsOptions) {
    this.#options = options
  }

  /** Whether one more event of the tenant fits. */
  fits(tenantId: string, bytes: number): boolean {
    const tenant = this.#byTenant.get(tenantId)
    return this.#isWithin(this.#total, bytes, 1) && (tenant === undefined || this.#isWithin(tenant, bytes, tenantShare))
  }

  /** Returns the function that ends the holding. */
  hold(tenantId: string, bytes: number): () => void {
    const tenant = this.#byTenant.get(tenantId) ?? { events: 0, bytes: 0 }
    this.#byTenant.set(tenantId, tenant)
    for (const held of [this.#total, tenant]) add(held, 1, bytes)
    return () => {
      for (const held of [this.#total, tenant]) add(held, -1, -bytes)
      if (tenant.events === 0) this.#byTenant.delete(tenantId)
    }
  }

  #isWithin({ events, bytes }: Held, more: number, share: number): boolean {
    const { eventsMax, bytesMax } = this.#options
    return events + 1 <= eventsMax * share && bytes + more <= bytesMax * share
  }
}

function add(held: Held, events: number, bytes: number): void {
  held.events += events
  held.bytes += bytes
}

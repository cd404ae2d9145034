import type { Publisher } from '../broker/publisher.ts'
import type { EventPublisher } from './event-publisher.ts'
import type { EventLease } from './event-row.ts'
import type { Candidate, EventReceiver, HandedOverEvent } from './hand-over.ts'
import { HeldEvents, type HeldEventsOptions } from './held-events.ts'
import type { OutboxRecords } from './outbox-records.ts'
import type { RetainedEvents } from './retained-events.ts'

export interface HandedOverEventsOptions extends HeldEventsOptions {
  readonly publisher: Pick<Publisher, 'ready'>
  readonly retained: Pick<RetainedEvents, 'check'>
  readonly events: EventPublisher
  readonly records: OutboxRecords
  readonly leaseMs: number
  /** Claims at once. */
  readonly wake: () => void
  readonly failed: (error: unknown) => void
}

/** The rest of the lease is for the time-out of the publisher and for the mark. */
const leasePartBeforeSending = 1 / 4

/** With as many, every tenant counts as behind. */
const tenantsBehindMax = 10_000

/**
 * **What it does.** Sends each handed-over event in the turn of the event loop in which its transaction was committed.
 * It waits for no timer, no claim and no other confirm.
 *
 * **Guarantees.**
 * - At most `eventsMax` events and `bytesMax` bytes are in memory, a quarter of both for one tenant. Beyond, and while
 *   the broker is not checked, events get no lease, and the relay claims them.
 * - An event that was not published is released, and the relay claims it.
 * - While a tenant has an event in the outbox, its next events follow by claims: normally in the order of commits.
 *
 * **Not guaranteed.** Order. After `stop`, an event stays in the outbox until its lease ends.
 */
export class HandedOverEvents implements EventReceiver {
  readonly #options: HandedOverEventsOptions
  readonly #held: HeldEvents
  readonly #inMemory = new Set<Promise<void>>()
  readonly #behind = new Set<string>()
  #isStopping = false
  #isStopped = false

  constructor(options: HandedOverEventsOptions) {
    this.#options = options
    this.#held = new HeldEvents(options)
  }

  grantLease({ tenantId, bytes }: Candidate): EventLease | undefined {
    const check = this.#check()
    const isBehind = this.#behind.has(tenantId) || this.#behind.size >= tenantsBehindMax
    if (check !== undefined && !isBehind && this.#held.fits(tenantId, bytes)) {
      return { leaseMs: this.#options.leaseMs, grantedAt: performance.now(), check }
    }
    this.#fallBehind(tenantId)
    return undefined
  }

  take(event: HandedOverEvent): void {
    if (this.#isStopped) return
    const { row } = event
    const bytes = Buffer.byteLength(row.payload)
    const isSent = this.#maySend(event, bytes)
    const end = this.#held.hold(row.tenant_id, bytes)
    const settled = (isSent ? this.#publish(event) : this.#release(event))
      // The lease ends, and a relay claims the event.
      .catch((error: unknown) => this.#options.failed(error))
      .finally(() => {
        end()
        this.#inMemory.delete(settled)
      })
    this.#inMemory.add(settled)
  }

  wake(): void {
    this.#options.wake()
  }

  /** A claim has emptied the outbox, and its events were sent. */
  outboxIsEmpty(): void {
    this.#behind.clear()
  }

  /** Admits no event, and releases those that are handed over. Resolves when none is in memory. */
  async stop(): Promise<void> {
    this.#isStopping = true
    while (this.#inMemory.size > 0) await Promise.all(this.#inMemory)
    this.#isStopped = true
  }

  /** The current check of the broker, while events may be sent. */
  #check(): number | undefined {
    const { publisher, retained } = this.#options
    return !this.#isStopping && publisher.ready().ready ? retained.check : undefined
  }

  #maySend({ row, admission }: HandedOverEvent, bytes: number): boolean {
    const isEarly = performance.now() - admission.grantedAt < this.#options.leaseMs * leasePartBeforeSending
    return isEarly && this.#check() === admission.check && this.#held.fits(row.tenant_id, bytes)
  }

  async #publish({ row }: HandedOverEvent): Promise<void> {
    const { events, records, failed } = this.#options
    const result = await events.send(row)
    if (result.outcome !== 'failed') {
      await records.record(row, result)
      // The relay looks for the event while it waits in the outbox.
      if (result.outcome === 'returned') this.#options.wake()
      return
    }
    failed(result.error)
    await this.#release({ row })
  }

  async #release({ row }: Pick<HandedOverEvent, 'row'>): Promise<void> {
    this.#fallBehind(row.tenant_id)
    await this.#options.records.release(row, 0)
    // A claim between the two may have emptied the outbox without this event.
    this.#fallBehind(row.tenant_id)
    this.#options.wake()
  }

  #fallBehind(tenantId: string): void {
    if (this.#behind.size < tenantsBehindMax) this.#behind.add(tenantId)
  }
}

import { type Commits, findCommits, type SqlTx } from '@payments/chassis/database/transaction'
import type { OutboxRow } from '../broker/event-message.ts'
import type { Publisher } from '../broker/publisher.ts'
import type { EventPublisher } from './event-publisher.ts'
import type { EventLease, EventRow, WrittenEvent } from './event-row.ts'
import type { OutboxRecords } from './outbox-records.ts'
import type { RetainedEvents } from './retained-events.ts'

/**
 * **What it does.** Passes events of a committed transaction to the relay of the process, in memory: the fast one of
 * two ways to publish. The other is a claim (outbox-claims.ts). `grantLease` decides: an event with a lease takes this
 * way; without one, the commit wakes the claims.
 *
 * **Participants.** Verbs write, and call `handOver` after a transaction of one statement; `Commits` reports the commit
 * of any other; `HandedOverEvents` is the side of the relay.
 *
 * **Guarantees.** An event of a transaction that was rolled back is never handed over. After a crash, a relay claims
 * the event at the end of its lease. Memory is bounded, in total and per tenant.
 *
 * **Not guaranteed.** Order, or that the relay takes an event.
 */
export type EventReceiver = Pick<HandedOverEvents, 'grantLease' | 'take' | 'wake'>

export interface Candidate {
  readonly tenantId: string
  readonly bytes: number
}

export interface HandedOverEvent {
  readonly row: OutboxRow
  readonly lease: EventLease
}

interface TransactionEvents {
  readonly leased: { readonly event: EventRow; readonly written: WrittenEvent }[]
  hasUnleased: boolean
}

/** Events of one transaction that get a lease. More would exceed the memory of the relay at once. */
const leasedPerTransactionMax = 100

const receivers = new WeakMap<Commits, EventReceiver>()
const eventsByTransaction = new WeakMap<object, TransactionEvents>()

/** Hands the events of all transactions of `commits` to `receiver`. */
export function receiveEvents(commits: Commits, receiver: EventReceiver): void {
  receivers.set(commits, receiver)
  commits.listen((transaction) => {
    const events = eventsByTransaction.get(transaction)
    for (const { event, written } of events?.leased ?? []) handOver(commits, event, written)
    if (events?.hasUnleased) receiver.wake()
  })
}

/** Whether the relay of the process takes the event after its commit. */
export function grantLease(commits: Commits, candidate: Candidate): EventLease | undefined {
  return receivers.get(commits)?.grantLease(candidate)
}

/** The commits whose relay takes the next event of the transaction. */
export function leasingCommits(tx: SqlTx): Commits | undefined {
  return (eventsByTransaction.get(tx)?.leased.length ?? 0) < leasedPerTransactionMax ? findCommits(tx) : undefined
}

/** Call it after the INSERT. The event is handed over if, and only if, the transaction commits. */
export function handOverAtCommit(tx: SqlTx, event: EventRow, written: WrittenEvent): void {
  const events = eventsByTransaction.get(tx) ?? { leased: [], hasUnleased: false }
  eventsByTransaction.set(tx, events)
  if (event.lease === undefined) events.hasUnleased = true
  else events.leased.push({ event, written })
}

/** Call it after the commit of a statement with `insertEvent`, with the row that the statement returned. */
export function handOver(commits: Commits, event: EventRow, written: WrittenEvent): void {
  const receiver = receivers.get(commits)
  const { lease } = event
  if (lease === undefined || written.lease === null) receiver?.wake()
  else receiver?.take({ row: toOutboxRow(event, written, written.lease), lease })
}

function toOutboxRow(event: EventRow, { occurred_at }: WrittenEvent, lease: string): OutboxRow {
  const { id, type, tenantId, businessUnitId, traceId, payload, traceparent } = event
  const owner = { tenant_id: tenantId, business_unit_id: businessUnitId, trace_id: traceId }
  return { id, type, ...owner, occurred_at, payload, traceparent, lease }
}

export interface HandedOverEventsOptions {
  readonly eventsMax: number
  readonly bytesMax: number
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
 * The events of this process that its relay has in memory: at most `eventsMax` and `bytesMax`, a quarter of both for
 * one tenant. Each is sent in the turn of the event loop in which its transaction was committed. One that was not
 * published is released, and claimed. While a tenant has an event in the outbox, its next events follow by claims:
 * normally in the order of commits. After `stop`, an event stays in the outbox until its lease ends.
 */
export class HandedOverEvents {
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

  /** Grants no lease, and releases the events that are handed over. Resolves when none is in memory. */
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

  #maySend({ row, lease }: HandedOverEvent, bytes: number): boolean {
    const isEarly = performance.now() - lease.grantedAt < this.#options.leaseMs * leasePartBeforeSending
    return isEarly && this.#check() === lease.check && this.#held.fits(row.tenant_id, bytes)
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

interface Held {
  events: number
  bytes: number
}

/** One tenant holds at most this part, so the events of others find memory during a flood of its events. */
const tenantShare = 1 / 4

/** Counts the events that a relay has in memory, in total and per tenant. */
class HeldEvents {
  readonly #options: Pick<HandedOverEventsOptions, 'eventsMax' | 'bytesMax'>
  readonly #total: Held = { events: 0, bytes: 0 }
  readonly #byTenant = new Map<string, Held>()

  constructor(options: Pick<HandedOverEventsOptions, 'eventsMax' | 'bytesMax'>) {
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

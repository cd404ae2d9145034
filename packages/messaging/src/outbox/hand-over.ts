import { type Commits, findCommits, type SqlTx } from '@payments/chassis/database/transaction'
import type { OutboxRow } from '../broker/event-message.ts'
import type { EventLease, EventRow, WrittenEvent } from './event-row.ts'

/**
 * **What it does.** Hands the events of a committed transaction to the relay of the same process, in memory. The writer
 * has leased them to this relay, so no relay claims them.
 *
 * **Participants.** Verbs, which write; `Commits`, which reports the commit; the relay (`EventReceiver`).
 *
 * **Guarantees.** An event of a transaction that was rolled back is never handed over. A transaction without events
 * calls nothing. A crash at any point loses nothing: the event is in the outbox, and a relay claims it after its lease.
 *
 * **Not guaranteed.** That the relay takes an event. Without an admission the row has no lease, and `wake` follows the
 * commit.
 */
export interface EventReceiver {
  /** Undefined while the relay does not take an event of the tenant. */
  grantLease(candidate: Candidate): EventLease | undefined
  /** Takes an event whose transaction has committed. */
  take(event: HandedOverEvent): void
  /** A transaction committed events without a lease. */
  wake(): void
}

export interface Candidate {
  readonly tenantId: string
  readonly bytes: number
}

export interface HandedOverEvent {
  readonly row: OutboxRow
  readonly admission: EventLease
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
  if (event.admission === undefined) events.hasUnleased = true
  else events.leased.push({ event, written })
}

/** Call it after the commit of a statement with `insertEvent`, with the row that the statement returned. */
export function handOver(commits: Commits, event: EventRow, written: WrittenEvent): void {
  const receiver = receivers.get(commits)
  const { admission } = event
  if (admission === undefined || written.lease === null) receiver?.wake()
  else receiver?.take({ row: toOutboxRow(event, written, written.lease), admission })
}

function toOutboxRow(event: EventRow, { occurred_at }: WrittenEvent, lease: string): OutboxRow {
  const { id, type, tenantId, businessUnitId, traceId, payload, traceparent } = event
  const owner = { tenant_id: tenantId, business_unit_id: businessUnitId, trace_id: traceId }
  return { id, type, ...owner, occurred_at, payload, traceparent, lease }
}

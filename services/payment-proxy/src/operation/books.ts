import type { Idempotency } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import type { Commits } from '@payments/chassis/database/transaction'
import { decideKeyState, type KeyState } from '@payments/chassis/request/idempotency'
import { Problem } from '@payments/contracts/grammar/problem'
import type { PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import { paymentProxy, problems } from '@payments/contracts/services/payment-proxy/contract'
import type { EventRow, WrittenEvent } from '@payments/messaging/outbox/event-row'
import { handOver, handOverAtCommit, leasingCommits } from '@payments/messaging/outbox/hand-over'
import { EventRejected, eventRow } from '@payments/messaging/outbox/outbox'
import type { Sql } from 'sql-template-tag'
import type { Deps } from '../deps.ts'
import type { Transaction, TransactionAggregate } from '../domain/transaction.ts'
import { type BookChange, decodeBooks, selectBooks, selectByExternalReference, writeChange } from '../store/books.ts'
import { type Database, isDuplicate, type Tx } from '../store/database.ts'
import type { QuarantinedEvent } from '../store/quarantined-events.ts'
import type { CreationEvent, OutcomeEvent } from './event.ts'
import { unlessProblem } from './unless-problem.ts'

/**
 * **What it does.** Changes the books of a payment (transaction, operations, key of the request), and writes the event
 * with them. One statement reads them, `decide` decides without database and network, one statement writes the
 * decision. Null: nothing was written three times in a row.
 *
 * **Guarantees.**
 * - A decision is written whole, and only on the books that it was taken on, by their version, state and key. So it
 *   needs no lock.
 * - When nothing was written, the next read says why, and `decide` runs again.
 * - An outcome is recorded also when its contract rejects the event, which operators then find in the quarantine.
 *
 * **Not guaranteed.** The time of the write. A decision on the clock needs `lockTransaction` (pay-invitation.ts).
 */
export async function changeBooks<D extends Decision>(
  deps: Pick<Deps, 'log' | 'now'>,
  access: BookAccess,
  { assumed, ...named }: NamedBooks & { readonly assumed?: Books | undefined },
  decide: (books: Books) => D,
): Promise<D | null> {
  let tries = 0
  if (assumed !== undefined) {
    tries += 1
    // A repeated request gets its stored response, not the problem: books that were not read reject nothing.
    const decision = unlessProblem(() => decide(assumed))
    if (decision?.change != null && (await writeDecision(deps, access, decision.change, decision.event)))
      return decision
  }
  for (; tries < triesMax; tries += 1) {
    const decision = decide(await readBooks(access, named))
    const { change, event } = decision
    if (change === null || (await writeDecision(deps, access, change, event))) return decision
  }
  return null
}

const triesMax = 3

export interface Decision {
  /** Null: there is nothing to write. */
  readonly change: BookChange | null
  readonly event?: CreationEvent | OutcomeEvent | null
}

export interface FoundBooks {
  readonly aggregate: TransactionAggregate
  /** The payment orchestrator of the transaction. Null without a copy of the business unit. */
  readonly orchestrator: PaymentOrchestrator | null
}

/** The books of a payment in one snapshot. */
export interface Books extends Omit<FoundBooks, 'aggregate'> {
  readonly key: KeyState
  readonly aggregate: TransactionAggregate | null
}

/** The books for a request that creates a transaction, if its key is new. */
export const nothingStored: Books = { key: { state: 'new' }, aggregate: null, orchestrator: null }

/** The books of a transaction, for a decision that reads neither key nor payment orchestrator. */
export const booksWithoutKey = (aggregate: TransactionAggregate): Books => ({ ...nothingStored, aggregate })

/** Where the statements of the books run. */
export interface BookAccess {
  readonly tenantId: string
  run(statement: Sql): Promise<readonly object[]>
  /** The commits to which the write belongs. */
  commits(): Commits | undefined
  /** Hands over the event that was written. */
  handOver(event: EventRow, written: WrittenEvent): void
}

/** Each statement is one transaction, in one round trip. */
export function accessBooks({ pipelined, commits }: Database, tenantId: string): BookAccess {
  return {
    tenantId,
    run: async (statement) => (await pipelined(tenantId, [statement]))[0] ?? [],
    commits: () => commits,
    handOver: (event, written) => handOver(commits, event, written),
  }
}

/** The statements belong to a transaction that does more. */
export function accessBooksWithin(tx: Tx, tenantId: string): BookAccess {
  return {
    tenantId,
    run: (statement) => tx.$queryRaw<object[]>(statement),
    commits: () => leasingCommits(tx),
    handOver: (event, written) => handOverAtCommit(tx, event, written),
  }
}

/** Which books: of a transaction, or of the operation to which the key of a request refers. */
interface NamedBooks {
  readonly transactionId: string | null
  readonly idempotency?: Idempotency | null
}

/** Reads without a lock. */
export async function readBooks(
  { tenantId, run }: BookAccess,
  { transactionId, idempotency = null }: NamedBooks,
): Promise<Books> {
  const { storedKey, ...books } = decodeBooks(await run(selectBooks(tenantId, transactionId, idempotency)))
  return { ...books, key: idempotency === null ? { state: 'new' } : decideKeyState(idempotency, storedKey) }
}

/** Throws transaction_not_found. */
export function requireFound({ aggregate, orchestrator }: Books): FoundBooks {
  if (aggregate === null) throw new Problem(problems.transaction_not_found)
  return { aggregate, orchestrator }
}

/** Other requests have changed the transaction before each write. */
export function transactionMoved(): Problem {
  const detail = 'Other requests change the transaction at the same time'
  return new Problem(problems.operation_in_progress, { detail, retryAfterSeconds: 1 })
}

/** False when nothing was written. */
async function writeDecision(
  deps: Pick<Deps, 'log' | 'now'>,
  access: BookAccess,
  change: BookChange,
  event: Decision['event'],
): Promise<boolean> {
  const row = event == null ? null : encodeRow(deps, access, event)
  const { transaction } = change.after
  const rows = access.run(writeChange(access.tenantId, change, row))
  const [written] = await rows.catch(async (error: unknown) => {
    throw isDuplicate(error, externalReferenceKey) ? await externalReferenceTaken(access, transaction) : error
  })
  if (written === undefined) return false
  if (row !== null && 'payload' in row) access.handOver(row, written as WrittenEvent)
  else if (row !== null) logQuarantined(deps, row)
  return true
}

const externalReferenceKey = 'transactions_tenant_id_business_unit_id_external_reference_key'

/** Names the transaction, so that a caller who lost the response to its creation finds it. */
async function externalReferenceTaken(access: BookAccess, transaction: Transaction): Promise<Problem> {
  const { externalReference } = transaction
  const [found] = (await access.run(selectByExternalReference(access.tenantId, transaction))) as { id: string }[]
  if (found === undefined) throw new Error('no transaction has the external reference that is in use')
  const detail = `The transaction ${found.id} of the business unit has the external reference ${externalReference}`
  return new Problem(problems.external_reference_taken, { detail, extensions: { transaction_id: found.id } })
}

/** The row of the event. Throws EventRejected for a new transaction: nothing has happened yet. */
function encodeRow({ now }: Pick<Deps, 'now'>, access: BookAccess, event: CreationEvent | OutcomeEvent) {
  try {
    return eventRow(access.commits(), paymentProxy.events, event)
  } catch (error) {
    const { operation, transaction } = event.payload
    if (!(error instanceof EventRejected) || operation === null) throw error
    const { type, tenantId, traceId } = event
    const ids = { id: newId(), tenantId, transactionId: transaction.id, operationId: operation.id }
    return { ...ids, type, traceId, reason: error.message, createdAt: now() }
  }
}

function logQuarantined({ log }: Pick<Deps, 'log'>, event: QuarantinedEvent & { readonly traceId: string }): void {
  const { traceId, tenantId, transactionId, operationId, type, reason } = event
  const ids = { trace_id: traceId, tenant_id: tenantId, transaction_id: transactionId, operation_id: operationId }
  log.error({ ...ids, event_type: type, reason }, 'the event of an outcome is quarantined')
}

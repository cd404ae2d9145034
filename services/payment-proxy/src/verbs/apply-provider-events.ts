import type { Row, Turns } from '@payments/chassis/database/turns'
import type { Deps } from '../deps.ts'
import { isLeased, isOpen, type Operation } from '../domain/operation.ts'
import { type KnownOutcome, type ReportedOutcome, requireSameAmount } from '../domain/outcome.ts'
import { delayEvent, markApplied, type ProviderEvent, postponeEvent, unmatchedMax } from '../domain/provider-event.ts'
import { requireOperation, type TransactionAggregate } from '../domain/transaction.ts'
import { accessBooksWithin, changeBooks, type Decision, requireFound } from '../operation/books.ts'
import { instructProvider } from '../operation/execute.ts'
import { decideRecord } from '../operation/record.ts'
import type { LeasedOperation } from '../operation/start.ts'
import type { WorkPermits } from '../operation/work-permits.ts'
import { makeSyncDue } from '../store/operations.ts'
import {
  endUnmatched,
  findProviderEvent,
  findReportedOperation,
  lockDueEvent,
  updateProviderEvent,
} from '../store/provider-events.ts'

/** Further due events wait for the next batch. */
const batch = { limit: 100, perTenantMax: 10 }
/** Looks at the waiting tenants in a batch, until one of them has a due event (turns.ts). */
const looksMax = 10

/**
 * **What it does.** Applies a batch of due events of providers to operations. Returns how many were applied
 * or postponed.
 *
 * **Guarantees.**
 * - An event takes effect at most once, however often the provider sends it.
 * - An event without an outcome makes the sync of its operation due.
 * - A final outcome stays: of an operation that has ended, only a reversal of a refund changes anything.
 * - Tenants take turns: the events of one delay an event of another by ten.
 * - An event about an unknown operation is tried again for an hour, unless later ones displace it.
 * - A failed event or a slow capture delays no other.
 *
 * **Not guaranteed.** An order between a postponed event and later ones about the same operation.
 */
export async function applyProviderEvents(deps: Deps, followUps: WorkPermits, turns: Turns): Promise<number> {
  const due = await findDue(deps, turns)
  const causes: unknown[] = []
  let count = 0
  for (const event of due) {
    try {
      const { isLocked, next } = await applyEvent(deps, event)
      if (isLocked) count += 1
      if (next !== null) startFollowUp(deps, followUps, next)
    } catch (cause) {
      causes.push(cause)
      await postponeFailed(deps, event)
    }
  }
  if (causes.length > 0) throw new AggregateError(causes, `${causes.length} provider events could not be applied`)
  return count
}

async function findDue({ db, now }: Deps, turns: Turns): Promise<readonly Row[]> {
  for (let look = 0; look < looksMax; look += 1) {
    const { rows, mayBeMore } = await db.acrossTenants((tx) => turns.findDue(tx, now(), batch))
    if (rows.length > 0 || !mayBeMore) return rows
  }
  return []
}

interface AppliedEvent {
  /** False when another process applies the event, or an earlier one about the same operation, or has applied it. */
  readonly isLocked: boolean
  /** The capture or void that follows an authorization. Null without one. */
  readonly next: LeasedOperation | null
}

function applyEvent(deps: Deps, { id, tenantId }: Row): Promise<AppliedEvent> {
  return deps.db.inTenant(tenantId, async (tx) => {
    const received = await lockDueEvent(tx, tenantId, id, deps.now())
    if (received === null) return { isLocked: false, next: null }
    const reported = await findReportedOperation(tx, tenantId, received)
    if (reported === null) {
      await updateProviderEvent(tx, tenantId, postponeEvent(received, deps.now()))
      await endUnmatched(tx, tenantId, received.paymentOrchestratorId, unmatchedMax)
      return { isLocked: true, next: null }
    }
    const { id: operationId, transactionId } = reported
    const decided = await changeBooks(deps, accessBooksWithin(tx, tenantId), { transactionId }, (books) => ({
      ...decideApplication(deps, received, requireFound(books).aggregate, operationId),
      orchestrator: books.orchestrator,
    }))
    if (decided === null)
      throw new Error(`the transaction of operation ${operationId} changed before each write of its outcome`)
    const { aggregate, next, orchestrator, inbox, isSyncDue = false } = decided
    if (isSyncDue) await makeSyncDue(tx, tenantId, operationId, deps.now())
    await updateProviderEvent(tx, tenantId, inbox)
    return { isLocked: true, next: next === null ? null : { aggregate, operation: next, orchestrator } }
  })
}

function decideApplication(
  deps: Deps,
  received: ProviderEvent,
  aggregate: TransactionAggregate,
  operationId: string,
): Decision & { aggregate: TransactionAggregate; next: Operation | null; inbox: ProviderEvent; isSyncDue?: boolean } {
  const now = deps.now()
  const operation = requireOperation(aggregate, operationId)
  const unchanged = { aggregate, next: null, change: null }
  if (isOpenReport(received.outcome) && isLeased(operation, now))
    return { ...unchanged, inbox: delayEvent(received, now) }
  const inbox = markApplied(received, now)
  const reported = readableOutcome(received.outcome, operation)
  if (reported === null) return { ...unchanged, inbox, isSyncDue: !isKnownAction(received.outcome, operation) }
  const outcome = requireSameAmount(reported, operation.amount, aggregate.transaction.currency)
  return { ...decideRecord(deps, aggregate, operationId, { outcome }), inbox }
}

/** A report without an end waits for the process that calls the provider, and so leaves it the lease. */
const isOpenReport = ({ kind }: ReportedOutcome) => ['changed', 'action_required', 'pending'].includes(kind)

/**
 * The outcome of the operation. Null: a sync reads it. Only an authorization waits for the payer. Of an operation that
 * has ended, a part of the outcome is enough: it changes nothing, and a contradiction is logged.
 */
function readableOutcome(reported: ReportedOutcome, operation: Pick<Operation, 'type' | 'state'>): KnownOutcome | null {
  if (reported.kind === 'changed') return isOpen(operation) ? null : (reported.seen ?? null)
  return reported.kind === 'action_required' && operation.type !== 'authorize' ? null : reported
}

/** Whether the event has only the action that the response of the authorization had. */
function isKnownAction(reported: ReportedOutcome, { action }: Pick<Operation, 'action'>): boolean {
  if (reported.kind !== 'changed' || reported.seen?.kind !== 'action_required') return false
  return reported.seen.action.url === action?.url
}

/**
 * Sends an operation whose lease this process has. After an error, or without a permit, the lease expires and
 * resume-loop.ts resumes the operation.
 */
function startFollowUp(deps: Deps, followUps: WorkPermits, next: LeasedOperation): void {
  const { tenantId } = next.operation
  if (!followUps.hasFree() || followUps.busyTenants().includes(tenantId)) return
  followUps.start(tenantId, async () => {
    await instructProvider(deps, next, { kind: 'execute', paymentDetails: null })
  })
}

async function postponeFailed(deps: Deps, { id, tenantId }: Row): Promise<void> {
  await deps.db.inTenant(tenantId, async (tx) => {
    const event = await findProviderEvent(tx, tenantId, id)
    if (event !== null && event.dueAt !== null) {
      await updateProviderEvent(tx, tenantId, postponeEvent(event, deps.now()))
    }
  })
}

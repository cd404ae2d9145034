import type { Deps } from '../deps.ts'
import { requireSameAmount } from '../domain/outcome.ts'
import { applied, postponed } from '../domain/provider-event.ts'
import { executeOperation } from '../operation/execute.ts'
import { type Recorded, recordOutcome } from '../operation/record.ts'
import {
  findDueEvents,
  findProviderEvent,
  findReportedOperation,
  lockDueEvent,
  updateProviderEvent,
} from '../store/provider-events.ts'

/** Further due events wait for the next run. */
const batchMax = 50

/**
 * **What it does.** Applies the events of payment providers to operations, in the order of receipt.
 *
 * **Participants.** The inbox (`provider_events`), which `receiveProviderWebhook` fills, and the third step of an
 * operation (`record.ts`).
 *
 * **Guarantees.**
 *
 * - An event takes effect at most once, however often the provider sends it.
 * - A final outcome stays: of an operation that has ended, only a reversal of a refund changes anything.
 * - An event about an operation that is not known yet is tried again for seven days. It is stored after that, too.
 * - An event that fails does not delay the others.
 *
 * **Not guaranteed.** An order between a postponed event and later events about the same operation.
 *
 * Returns the number of due events.
 */
export async function applyProviderEvents(deps: Deps): Promise<number> {
  const now = deps.now()
  const due = await deps.db.acrossTenants((tx) => findDueEvents(tx, { now, limit: batchMax }))
  const causes: unknown[] = []
  const captures: Promise<unknown>[] = []
  for (const event of due) {
    try {
      const recorded = await apply(deps, event)
      if (recorded !== null) captures.push(captureNext(deps, recorded))
    } catch (cause) {
      causes.push(cause)
      await postpone(deps, event)
    }
  }
  // After an error, the lease of the capture expires and `resumeOpenOperations` resumes it.
  for (const settled of await Promise.allSettled(captures)) {
    if (settled.status === 'rejected') causes.push(settled.reason)
  }
  if (causes.length > 0) throw new AggregateError(causes, `${causes.length} provider events could not be applied`)
  return due.length
}

interface EventKey {
  readonly id: string
  readonly tenantId: string
}

function apply(deps: Deps, { id, tenantId }: EventKey): Promise<Recorded | null> {
  return deps.db.inTenant(tenantId, async (tx) => {
    const now = deps.now()
    const event = await lockDueEvent(tx, tenantId, id, now)
    if (event === null) return null
    const operation = await findReportedOperation(tx, tenantId, event)
    if (operation === null) {
      await updateProviderEvent(tx, tenantId, postponed(event, now))
      return null
    }
    const outcome = requireSameAmount(event.outcome, operation.amount, operation.currency)
    const recorded = await recordOutcome(tx, deps, operation, outcome)
    await updateProviderEvent(tx, tenantId, applied(event, now))
    return recorded
  })
}

/** Sends the capture of an authorization with capture, whose lease this process has. */
async function captureNext(deps: Deps, { aggregate, next }: Recorded): Promise<void> {
  if (next === null) return
  await executeOperation(deps, { aggregate, operation: next }, { kind: 'execute', paymentDetails: null })
}

async function postpone(deps: Deps, { id, tenantId }: EventKey): Promise<void> {
  await deps.db.inTenant(tenantId, async (tx) => {
    const event = await findProviderEvent(tx, tenantId, id)
    if (event !== null && event.dueAt !== null) {
      await updateProviderEvent(tx, tenantId, postponed(event, deps.now()))
    }
  })
}

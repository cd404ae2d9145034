import { quarantinedEventsQueue } from '@payments/contracts/endpoints/quarantine'
import { cursorAt, positionBehind } from '@payments/contracts/grammar/page'
import { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import { EventRejected, emit } from '@payments/messaging/outbox/outbox'
import type { QuarantineAccess } from '@payments/messaging/quarantine/quarantine-handlers'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { requireOperation } from '../domain/transaction.ts'
import type { Database } from '../store/database.ts'
import {
  countQuarantinedEvents,
  deleteQuarantinedEvent,
  findQuarantinedEvents,
  type QuarantinedEvent,
} from '../store/quarantined-events.ts'
import { accessBooksWithin, readBooks, requireFound } from './books.ts'
import { eventOfType, type OutcomeType } from './event.ts'

/** Events of one call of an operator. */
const eventsMax = 500
const position = z.tuple([z.guid()])

/**
 * **What it does.** Shows operators the events of outcomes that their contract rejected (books.ts), writes them
 * again, or deletes them.
 *
 * **Guarantees.** A redriven event is written from the books as they are then, with their version, in the transaction
 * that deletes its row: once. One that its contract still rejects stays.
 *
 * **Not guaranteed.** The snapshot of the time of the outcome.
 */
export function createQuarantinedEvents(deps: { readonly db: Database } & Pick<Deps, 'now' | 'log'>): QuarantineAccess {
  const { db } = deps
  const chosen = (ids: readonly string[] | undefined) => {
    const known = ids?.filter((id) => z.guid().safeParse(id).success)
    return db.acrossTenants((tx) => findQuarantinedEvents(tx, { ids: known, limit: eventsMax }))
  }
  const changeChosen = async (
    { ids, dryRun }: { ids: readonly string[] | undefined; dryRun: boolean },
    change: (event: QuarantinedEvent) => Promise<boolean>,
  ) => {
    const events = await chosen(ids)
    if (dryRun) return events.length
    let count = 0
    for (const event of events) if (await change(event)) count += 1
    return count
  }
  return {
    name: quarantinedEventsQueue,
    depth: () => db.acrossTenants(countQuarantinedEvents),
    peek: async ({ limit, cursor }) => {
      const [after] = positionBehind(cursor, position) ?? []
      const found = await db.acrossTenants((tx) => findQuarantinedEvents(tx, { after, limit: limit + 1 }))
      const data = found.slice(0, limit)
      const last = data.at(-1)
      const next_cursor = found.length > limit && last !== undefined ? cursorAt([last.id]) : null
      return { data: data.map(presentEvent), next_cursor }
    },
    redrive: (choice) => changeChosen(choice, (event) => writeAgain(deps, event)),
    discard: (choice) =>
      changeChosen(choice, ({ tenantId, id }) =>
        db.inTenant(tenantId, (tx) => deleteQuarantinedEvent(tx, tenantId, id)),
      ),
  }
}

function presentEvent({ id, tenantId, operationId, type, reason, createdAt }: QuarantinedEvent) {
  return {
    id,
    tenant_id: tenantId,
    business_unit_id: null,
    event_type: type,
    tenant_event_id: null,
    destination_url: null,
    attempts: 0,
    last_error: `operation ${operationId}: ${reason}`,
    dead_at: createdAt.toISOString(),
  }
}

/** False when the event is still rejected, or no longer there. */
async function writeAgain(
  { db, now, log }: { readonly db: Database } & Pick<Deps, 'now' | 'log'>,
  { id, tenantId, transactionId, operationId, type }: QuarantinedEvent,
): Promise<boolean> {
  try {
    return await db.inTenant(tenantId, async (tx) => {
      const { aggregate } = requireFound(await readBooks(accessBooksWithin(tx, tenantId), { transactionId }))
      const operation = requireOperation(aggregate, operationId)
      if (!(await deleteQuarantinedEvent(tx, tenantId, id))) return false
      await emit(tx, paymentProxy.events, eventOfType(type as OutcomeType, aggregate, operation, now()))
      return true
    })
  } catch (error) {
    if (!(error instanceof EventRejected)) throw error
    log.warn({ tenant_id: tenantId, operation_id: operationId, reason: error.message }, 'the event is still rejected')
    return false
  }
}

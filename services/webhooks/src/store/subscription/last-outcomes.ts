import { createNotes, type Notes } from '@payments/chassis/base/notes'
import type { SqlTx as Sql } from '@payments/chassis/database/transaction'

/**
 * **What it does.** Stores when the last attempt of each subscription succeeded and failed, for the health of the
 * subscription. An attempt only notes its time in memory; a job stores the notes of all subscriptions together
 * (notes.ts of the chassis).
 *
 * **Guarantees.** A time that is stored never becomes earlier, with any number of dispatchers.
 */
export interface LastOutcomes extends Pick<Notes<OutcomeNote>, 'watch' | 'flush'> {
  note(subscription: Subscription, succeeded: boolean): void
}

interface Subscription {
  readonly tenantId: string
  readonly subscriptionId: string
}

interface OutcomeNote extends Subscription {
  /** Instants. Undefined: none since the last flush. */
  readonly deliveredAt?: string
  readonly failedAt?: string
}

const notesMax = 10_000

export function createLastOutcomes(sql: Sql): LastOutcomes {
  const write = (notes: readonly OutcomeNote[]) => sql.$executeRawUnsafe(storeSql, JSON.stringify(notes))
  const merge = (earlier: OutcomeNote, later: OutcomeNote) => ({ ...earlier, ...later })
  const { add, ...notes } = createNotes({ write, merge, notesMax })
  return {
    ...notes,
    note: ({ tenantId, subscriptionId }, succeeded) => {
      const now = new Date().toISOString()
      const at = succeeded ? { deliveredAt: now } : { failedAt: now }
      add(subscriptionId, { tenantId, subscriptionId, ...at })
    },
  }
}

/** Rows are locked in the order of destinations. */
const storeSql = `
  INSERT INTO destinations AS t (subscription_id, tenant_id, last_delivered_at, last_failed_at)
  SELECT "subscriptionId", "tenantId", "deliveredAt", "failedAt" FROM jsonb_to_recordset($1::jsonb)
    AS note("subscriptionId" uuid, "tenantId" uuid, "deliveredAt" timestamptz, "failedAt" timestamptz)
  ORDER BY "subscriptionId"
  ON CONFLICT (subscription_id) DO UPDATE SET
    last_delivered_at = greatest(t.last_delivered_at, excluded.last_delivered_at),
    last_failed_at = greatest(t.last_failed_at, excluded.last_failed_at)`

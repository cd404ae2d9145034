import { Batch } from '@payments/chassis/base/batch'
import type { SqlTx as Sql } from '@payments/chassis/database/transaction'
import { isOutage } from '@payments/messaging/consume/outage'
import type { AttemptOutcome } from '../../domain/attempt/outcome.ts'
import type { WorkItem } from '../../domain/delivery/delivery.ts'
import type { Claimed, DeliveryTarget } from './claim.ts'
import {
  type BatchValues,
  type Changed,
  claimDeliveries,
  enqueueBacklogs,
  type NextAttempt,
  postponeDeliveries,
  type Recorded,
  recordAttempts,
} from './delivery-state.ts'

/**
 * **What it does.** Lets deliveries that take the same step together share one statement: up to a hundred share a round
 * trip and a commit.
 *
 * **Participants.** deliver.ts takes the steps. batch.ts of the chassis joins them. delivery-state.ts has the
 * statements.
 *
 * **Guarantees.** A step resolves after its commit. Every step names the number of attempts that its caller knows: of
 * two workers on one delivery, one changes the row and the other finds nothing.
 *
 * **Not guaranteed.** The order of the steps of a batch.
 */
export type DeliverySteps = ReturnType<typeof createDeliverySteps>

/** Where an attempt was sent, without the credentials of the auth info. */
export type SentTo = Pick<DeliveryTarget, 'destinationUrl' | 'label'>

/** Nothing waits for a record but its own worker, so a busy database gets few large batches. */
const waitMsMax = 100

export function createDeliverySteps(sql: Sql) {
  const failsAll = isOutage
  const claims = new Batch(
    async (items: readonly WorkItem[]) => inOrder(items, await claimDeliveries(sql, toBatchValues(items))),
    { failsAll },
  )
  const records = new Batch((items: readonly AttemptRecord[]) => recordAll(sql, items), { failsAll, waitMsMax })
  const postponed = new Batch(
    async (items: readonly (WorkItem & { readonly waitMs: number })[]) => {
      await postponeDeliveries(sql, toBatchValues(items))
      return items
    },
    { failsAll },
  )
  const backlogged = new Batch(
    async (items: readonly (WorkItem & { readonly claimed: boolean })[]) => {
      // Of two items for one attempt, the last has priority, which is from the worker with the claim.
      const claimedLast = [...items].sort((one, other) => Number(one.claimed) - Number(other.claimed))
      await enqueueBacklogs(sql, toBatchValues(claimedLast))
      return items
    },
    { failsAll },
  )
  return {
    /**
     * Claims the delivery for one attempt. Undefined when the attempt was made, is in flight, or is no longer wanted.
     * Discards a delivery whose subscription was deleted. Holds a delivery whose subscription is disabled or whose
     * destination has an open breaker.
     */
    claim: (item: WorkItem): Promise<Claimed | undefined> => claims.add(item),
    /** Commits an attempt and its next step. Undefined when another worker has committed this attempt. */
    record: (item: WorkItem, outcome: AttemptOutcome, next: NextAttempt, sentTo: SentTo) =>
      records.add(toAttemptRecord(item, outcome, next, sentTo)),
    /** Postpones a claimed delivery by `waitMs`: the attempt was not made and does not count. */
    postpone: (item: WorkItem, waitMs: number) => postponed.add({ ...item, waitMs }),
    /**
     * Adds the delivery to the backlog: no permit is free. A delivery in flight stays with the worker that claimed it,
     * unless that worker is the caller; otherwise it would be sent twice.
     */
    enqueueBacklog: (item: WorkItem, claimed: boolean) => backlogged.add({ ...item, claimed }),
  }
}

/** The step `record`, in a transaction with other work. */
export async function recordIn(
  tx: Sql,
  item: WorkItem,
  outcome: AttemptOutcome,
  next: NextAttempt,
  sentTo: SentTo,
): Promise<Recorded | undefined> {
  const [recorded] = await recordAll(tx, [toAttemptRecord(item, outcome, next, sentTo)])
  return recorded
}

type AttemptRecord = ReturnType<typeof toAttemptRecord>

/**
 * As JSON, the body of the response in base64. The statement reads a field that is left out as NULL. Field by field:
 * spreading objects costs more here than everything else.
 */
function toAttemptRecord(item: WorkItem, outcome: AttemptOutcome, next: NextAttempt, sentTo: SentTo) {
  const { responseBody } = outcome
  return {
    id: item.id,
    tenantId: item.tenantId,
    attemptCount: item.attemptCount,
    status: next.status,
    delayMs: next.delayMs ?? undefined,
    published: next.published,
    sweepAfterMs: next.sweepAfterMs ?? undefined,
    lastError: next.lastError ?? undefined,
    startedAt: outcome.startedAt.toISOString(),
    durationMs: outcome.durationMs,
    statusCode: outcome.statusCode ?? undefined,
    errorKind: outcome.errorKind ?? undefined,
    errorDetail: outcome.errorDetail ?? undefined,
    responseBody: responseBody === null ? undefined : Buffer.from(responseBody).toString('base64'),
    responseTruncated: outcome.responseTruncated,
    responseHeaders: outcome.responseHeaders ?? undefined,
    timings: outcome.timings,
    credentialNames: outcome.credentialNames ?? undefined,
    destinationUrl: sentTo.destinationUrl,
    label: sentTo.label ?? undefined,
  }
}

async function recordAll(sql: Sql, records: readonly AttemptRecord[]): Promise<(Recorded | undefined)[]> {
  return inOrder(records, await recordAttempts(sql, toBatchValues(records)))
}

type Item = Pick<WorkItem, 'id' | 'attemptCount'>

const stepKey = ({ id, attemptCount }: Changed) => `${id}/${attemptCount}`

/** Two messages for one attempt may meet in a batch: the statement gets one of them. */
function toBatchValues(items: readonly Item[]): BatchValues {
  const ids = items.map(({ id }) => id)
  return [
    JSON.stringify([...new Map(items.map((item) => [stepKey(item), item])).values()]),
    ids.reduce((least, id) => (id < least ? id : least)),
    ids.reduce((most, id) => (id > most ? id : most)),
  ]
}

/** The changed rows, in the order of the items. Of several items for one attempt, the first gets the row. */
function inOrder<Row extends Changed>(items: readonly Item[], changed: readonly Row[]): (Row | undefined)[] {
  const found = new Map(changed.map((row) => [stepKey(row), row]))
  return items.map((item) => {
    const row = found.get(stepKey(item))
    found.delete(stepKey(item))
    return row
  })
}

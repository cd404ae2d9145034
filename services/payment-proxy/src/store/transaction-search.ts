import { firstIdAt, idsThatBeginWith } from '@payments/chassis/base/id'
import type { OpenState } from '../domain/operation.ts'
import type { TransactionFilter } from '../domain/transaction-filter.ts'
import { Prisma } from '../generated/client.ts'
import type { Tx } from './database.ts'
import { shownState } from './operations.ts'

/**
 * Ids of the transactions that match every filter, newest first; one more than `limit`. With `pendingState`, the open
 * operations of the tenant are read first: they are few. An id and a reference each have an index for their start.
 */
export async function searchTransactions(
  tx: Tx,
  tenantId: string,
  filter: TransactionFilter,
  now: Date,
): Promise<string[]> {
  const take = Prisma.sql`ORDER BY id DESC LIMIT ${filter.limit + 1}`
  const common = conditionsOf(tenantId, filter)
  const matching = (...more: Prisma.Sql[]) =>
    Prisma.sql`(SELECT id FROM transactions WHERE ${Prisma.join([...common, ...more], ' AND ')} ${take})`
  const parts = filter.search === undefined ? [matching()] : startsOf(filter.search).map((start) => matching(start))
  const rows = await tx.$queryRaw<{ id: string }[]>`
    WITH open AS MATERIALIZED (${openOperations(tenantId, filter.pendingState, now)})
    SELECT id::text AS "id" FROM (${Prisma.join(parts, ' UNION ')}) AS found ${take}`
  return rows.map(({ id }) => id)
}

function openOperations(tenantId: string, state: OpenState | undefined, now: Date): Prisma.Sql {
  return Prisma.sql`
    SELECT transaction_id FROM operations
    WHERE tenant_id = ${tenantId}::uuid AND due_at IS NOT NULL AND ${shownState(now)} = ${state ?? null}::text`
}

function conditionsOf(tenantId: string, filter: TransactionFilter): Prisma.Sql[] {
  const { status, pendingState, businessUnitId, paymentOrchestratorId, externalReference, before } = filter
  const { createdAfter, createdBefore, amountMin, amountMax } = filter
  const given: [unknown, Prisma.Sql][] = [
    [pendingState, Prisma.sql`id IN (SELECT transaction_id FROM open)`],
    [status, Prisma.sql`status = ${status}::"TransactionStatus"`],
    [businessUnitId, Prisma.sql`business_unit_id = ${businessUnitId}::uuid`],
    [paymentOrchestratorId, Prisma.sql`payment_orchestrator_id = ${paymentOrchestratorId}::uuid`],
    [externalReference, Prisma.sql`external_reference = ${externalReference}`],
    [before, Prisma.sql`id < ${before}::uuid`],
    [createdAfter, Prisma.sql`created_at >= ${createdAfter}`],
    [createdBefore, Prisma.sql`created_at < ${createdBefore}`],
    [createdAfter, Prisma.sql`id >= ${idAt(createdAfter, -clockSkewMs)}::uuid`],
    [createdBefore, Prisma.sql`id < ${idAt(createdBefore, clockSkewMs)}::uuid`],
    [amountMin, Prisma.sql`amount >= ${amountMin}::bigint`],
    [amountMax, Prisma.sql`amount <= ${amountMax}::bigint`],
  ]
  const conditions = given.filter(([value]) => value !== undefined).map(([, condition]) => condition)
  return [Prisma.sql`tenant_id = ${tenantId}::uuid`, ...conditions]
}

/** At most this far apart are the time in an id and `created_at` of its transaction. */
const clockSkewMs = 3_600_000

const idAt = (instant: Date | undefined, aheadMs: number) =>
  firstIdAt(new Date(Math.max(0, (instant?.getTime() ?? 0) + aheadMs)))

const lastCharacter = '\u{10FFFF}'

/** Conditions of which a transaction meets one: its reference begins with the text, or its id. */
function startsOf(text: string): Prisma.Sql[] {
  const reference = Prisma.sql`external_reference ~>=~ ${text} AND external_reference ~<~ ${text + lastCharacter}`
  const ids = idsThatBeginWith(text)
  return ids === null ? [reference] : [reference, Prisma.sql`id BETWEEN ${ids.first}::uuid AND ${ids.last}::uuid`]
}

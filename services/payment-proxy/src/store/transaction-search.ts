import { firstIdAt, idsThatBeginWith } from '@payments/chassis/base/id'
import { fewIds, searchIds } from '@payments/chassis/database/search-ids'
import type { Searched } from '@payments/contracts/grammar/searched-page'
import type { OpenState } from '../domain/operation.ts'
import type { Status } from '../domain/status.ts'
import { Prisma } from '../generated/client.ts'
import type { Tx } from './database.ts'
import { shownState } from './operations.ts'

/** Conditions of a list of transactions, and its page. */
export interface TransactionFilter {
  readonly pendingState: OpenState | undefined
  /** The start of an id or of an external reference. */
  readonly search: string | undefined
  readonly status: Status | undefined
  readonly businessUnitId: string | undefined
  readonly paymentOrchestratorId: string | undefined
  readonly externalReference: string | undefined
  readonly createdAfter: Date | undefined
  /** Exclusive. */
  readonly createdBefore: Date | undefined
  /** Minor units, both inclusive. */
  readonly amountMin: number | undefined
  readonly amountMax: number | undefined
  readonly before: string | undefined
  readonly limit: number
}

/**
 * Ids of the transactions that match every filter, newest first; one more than `limit`. A filter whose index is not in
 * the order of ids is read first. Where it matches few transactions, the page is among them. Otherwise the page is
 * searched in the order of ids.
 */
export async function searchTransactions(
  tx: Tx,
  tenantId: string,
  filter: TransactionFilter,
  now: Date,
): Promise<Searched<{ id: string }, string>> {
  const { before, limit } = filter
  const where = buildConditions(tenantId, filter, now)
  for (const query of unorderedQueries(tenantId, filter)) {
    const few = await fewIds(tx, query)
    if (few === null) continue
    if (before !== undefined) where.push(Prisma.sql`id < ${before}::uuid`)
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT id FROM (
        SELECT * FROM transactions WHERE tenant_id = ${tenantId}::uuid AND id = ANY(${few}::uuid[]) OFFSET 0
      ) AS searched WHERE ${all(where)} ORDER BY id DESC LIMIT ${limit + 1}`
    return { rows, searchedTo: null }
  }
  return searchIds(tx, tenantId, { table: 'transactions', among: indexedConditions(filter), where, before, limit })
}

/** One query for each filter whose index has its rows in another order, in that order. */
function unorderedQueries(tenantId: string, filter: TransactionFilter): Prisma.Sql[] {
  const { search, externalReference, pendingState } = filter
  const ofTenant = (order: Prisma.Sql, ...conditions: Prisma.Sql[]) => Prisma.sql`
    SELECT id FROM transactions WHERE tenant_id = ${tenantId}::uuid AND ${all(conditions)} ORDER BY ${order}`
  const byReference = Prisma.sql`external_reference USING ~<~`
  const amounts = amountConditions(filter)
  return [
    ...given(externalReference, (reference) => ofTenant(byReference, referenceCondition(reference))),
    ...given(search, (text) => {
      const { reference, id } = prefixConditions(text)
      const query = ofTenant(byReference, reference)
      return id === null ? query : Prisma.sql`(${query}) UNION ALL (${ofTenant(Prisma.sql`id`, id)})`
    }),
    ...given(
      pendingState,
      () => Prisma.sql`SELECT transaction_id AS id FROM operations
        WHERE tenant_id = ${tenantId}::uuid AND due_at IS NOT NULL ORDER BY due_at`,
    ),
    ...(amounts.length === 0 ? [] : [ofTenant(Prisma.sql`amount`, ...amounts)]),
  ]
}

/** The conditions of one index, with the range of ids that the period implies. */
function indexedConditions(filter: TransactionFilter): Prisma.Sql[] {
  const indexed = [
    ...given(filter.status, statusCondition),
    ...given(filter.paymentOrchestratorId, orchestratorCondition),
    ...given(filter.businessUnitId, unitCondition),
  ]
  return [
    ...indexed.slice(0, 1),
    ...given(filter.createdAfter, (after) => Prisma.sql`id >= ${idAt(after, -clockSkewMs)}::uuid`),
    ...given(filter.createdBefore, (before) => Prisma.sql`id < ${idAt(before, clockSkewMs)}::uuid`),
  ]
}

function buildConditions(tenantId: string, filter: TransactionFilter, now: Date): Prisma.Sql[] {
  return [
    ...given(filter.status, statusCondition),
    ...given(filter.businessUnitId, unitCondition),
    ...given(filter.paymentOrchestratorId, orchestratorCondition),
    ...given(filter.externalReference, referenceCondition),
    ...given(filter.createdAfter, (after) => Prisma.sql`created_at >= ${after}`),
    ...given(filter.createdBefore, (before) => Prisma.sql`created_at < ${before}`),
    ...given(filter.search, startCondition),
    ...given(filter.pendingState, (state) => openCondition(tenantId, state, now)),
    ...amountConditions(filter),
  ]
}

/** The condition of a filter, if the filter is given. */
const given = <Value>(value: Value | undefined, condition: (value: Value) => Prisma.Sql): Prisma.Sql[] =>
  value === undefined ? [] : [condition(value)]

const all = (conditions: Prisma.Sql[]) => Prisma.join([Prisma.sql`true`, ...conditions], ' AND ')

/** A literal: the planner proves the conditions of the partial indexes by it. */
const statusCondition = (status: Status) => Prisma.raw(`status = '${status}'`)

const unitCondition = (id: string) => Prisma.sql`business_unit_id = ${id}::uuid`

const orchestratorCondition = (id: string) => Prisma.sql`payment_orchestrator_id = ${id}::uuid`

const referenceCondition = (reference: string) => Prisma.sql`external_reference = ${reference}`

const amountConditions = ({ amountMin, amountMax }: TransactionFilter): Prisma.Sql[] => [
  ...given(amountMin, (min) => Prisma.sql`amount >= ${min}::bigint`),
  ...given(amountMax, (max) => Prisma.sql`amount <= ${max}::bigint`),
]

const openCondition = (tenantId: string, state: OpenState, now: Date) => Prisma.sql`EXISTS (
  SELECT 1 FROM operations WHERE tenant_id = ${tenantId}::uuid AND transaction_id = searched.id
    AND due_at IS NOT NULL AND ${shownState(now)} = ${state}::text)`

/** At most this far apart are the time in an id and `created_at` of its transaction. */
const clockSkewMs = 3_600_000

const idAt = (instant: Date, aheadMs: number) => firstIdAt(new Date(Math.max(0, instant.getTime() + aheadMs)))

const lastCharacter = '\u{10FFFF}'

/** Two conditions of which a transaction meets one: its reference begins with the text, or its id. */
function prefixConditions(text: string): { reference: Prisma.Sql; id: Prisma.Sql | null } {
  const ids = idsThatBeginWith(text)
  return {
    reference: Prisma.sql`external_reference ~>=~ ${text} AND external_reference ~<~ ${text + lastCharacter}`,
    id: ids === null ? null : Prisma.sql`id BETWEEN ${ids.first}::uuid AND ${ids.last}::uuid`,
  }
}

function startCondition(text: string): Prisma.Sql {
  const { reference, id } = prefixConditions(text)
  return id === null ? reference : Prisma.sql`(${reference} OR ${id})`
}

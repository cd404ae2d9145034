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
  const { search, externalReference, pendingState, amountMin, amountMax } = filter
  const ofTenant = (order: Prisma.Sql, ...conditions: Prisma.Sql[]) => Prisma.sql`
    SELECT id FROM transactions WHERE tenant_id = ${tenantId}::uuid AND ${all(conditions)} ORDER BY ${order}`
  const byReference = Prisma.sql`external_reference USING ~<~`
  const queries: Prisma.Sql[] = []
  if (externalReference !== undefined) {
    queries.push(ofTenant(byReference, Prisma.sql`external_reference = ${externalReference}`))
  }
  if (search !== undefined) {
    const { reference, id } = prefixConditions(search)
    const parts = [ofTenant(byReference, reference), ...(id === null ? [] : [ofTenant(Prisma.sql`id`, id)])]
    queries.push(
      Prisma.join(
        parts.map((part) => Prisma.sql`(${part})`),
        ' UNION ALL ',
      ),
    )
  }
  if (pendingState !== undefined) {
    queries.push(Prisma.sql`SELECT transaction_id AS id FROM operations
      WHERE tenant_id = ${tenantId}::uuid AND due_at IS NOT NULL ORDER BY due_at`)
  }
  if (amountMin !== undefined || amountMax !== undefined) {
    queries.push(ofTenant(Prisma.sql`amount`, ...amountConditions(filter)))
  }
  return queries
}

/** The conditions of one index, with the range of ids that the period implies. */
function indexedConditions({ status, paymentOrchestratorId, businessUnitId, ...period }: TransactionFilter) {
  const { createdAfter, createdBefore } = period
  const conditions: Prisma.Sql[] = []
  if (status !== undefined) conditions.push(statusCondition(status))
  else if (paymentOrchestratorId !== undefined) conditions.push(orchestratorCondition(paymentOrchestratorId))
  else if (businessUnitId !== undefined) conditions.push(unitCondition(businessUnitId))
  if (createdAfter !== undefined) conditions.push(Prisma.sql`id >= ${idAt(createdAfter, -clockSkewMs)}::uuid`)
  if (createdBefore !== undefined) conditions.push(Prisma.sql`id < ${idAt(createdBefore, clockSkewMs)}::uuid`)
  return conditions
}

function buildConditions(tenantId: string, filter: TransactionFilter, now: Date): Prisma.Sql[] {
  const { status, pendingState, businessUnitId, paymentOrchestratorId, externalReference, search } = filter
  const { createdAfter, createdBefore } = filter
  const given: [unknown, () => Prisma.Sql][] = [
    [status, () => statusCondition(status)],
    [businessUnitId, () => unitCondition(businessUnitId)],
    [paymentOrchestratorId, () => orchestratorCondition(paymentOrchestratorId)],
    [externalReference, () => Prisma.sql`external_reference = ${externalReference}`],
    [createdAfter, () => Prisma.sql`created_at >= ${createdAfter}`],
    [createdBefore, () => Prisma.sql`created_at < ${createdBefore}`],
    [search, () => startCondition(search ?? '')],
    [pendingState, () => openCondition(tenantId, pendingState, now)],
  ]
  const conditions = given.filter(([value]) => value !== undefined).map(([, condition]) => condition())
  return [...conditions, ...amountConditions(filter)]
}

const all = (conditions: Prisma.Sql[]) => Prisma.join([Prisma.sql`true`, ...conditions], ' AND ')

/** A literal: the planner proves the conditions of the partial indexes by it. */
const statusCondition = (status: Status | undefined) => Prisma.raw(`status = '${status}'`)

const unitCondition = (id: string | undefined) => Prisma.sql`business_unit_id = ${id}::uuid`

const orchestratorCondition = (id: string | undefined) => Prisma.sql`payment_orchestrator_id = ${id}::uuid`

function amountConditions({ amountMin, amountMax }: TransactionFilter): Prisma.Sql[] {
  return [
    ...(amountMin === undefined ? [] : [Prisma.sql`amount >= ${amountMin}::bigint`]),
    ...(amountMax === undefined ? [] : [Prisma.sql`amount <= ${amountMax}::bigint`]),
  ]
}

const openCondition = (tenantId: string, state: OpenState | undefined, now: Date) => Prisma.sql`EXISTS (
  SELECT 1 FROM operations WHERE tenant_id = ${tenantId}::uuid AND transaction_id = searched.id
    AND due_at IS NOT NULL AND ${shownState(now)} = ${state ?? null}::text)`

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

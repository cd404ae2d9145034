import type { SqlTx } from '@payments/chassis/database/transaction'
import { beforeTenants, waitingTenants } from '@payments/chassis/database/waiting-tenants'
import type { OutboxRow } from '../broker/event-message.ts'
import { withoutFlush, writtenColumns } from './event-row.ts'

export interface Claim {
  /** In the order of writing, with one lease. */
  readonly rows: readonly OutboxRow[]
  /** Whether another claim at once may find events. */
  readonly mayBeMore: boolean
}

export interface OutboxClaimsOptions {
  readonly db: SqlTx
  readonly batchMax: number
  readonly leaseMs: number
}

/** The order makes the planner use the index of unpublished events, also while the statistics expect many. */
const isEmptySql = `SELECT NOT EXISTS (
  SELECT FROM (SELECT 1 FROM outbox_events WHERE published_at IS NULL ORDER BY sequence LIMIT 1) AS first) AS empty`

/** Tenants that one claim in turns looks at. */
const tenantsOfClaimMax = 100

const isFree = '(leased_until IS NULL OR leased_until < statement_timestamp())'

/**
 * The condition of the index of tenant and sequence. After an outage the statistics know nothing of the waiting events,
 * and with `published_at IS NULL` the planner would read all of them for each tenant, by the index of sequences.
 */
const isWaiting = 'num_nulls(published_at) = 1'

const inOrder = `SELECT id FROM outbox_events WHERE published_at IS NULL AND ${isFree} ORDER BY sequence LIMIT $1::int FOR UPDATE SKIP LOCKED`

const inTurns = `SELECT of_tenant.id FROM jsonb_array_elements_text($3::jsonb) AS tenant (id) CROSS JOIN LATERAL (
    SELECT id FROM outbox_events WHERE tenant_id = tenant.id::uuid AND ${isWaiting} AND ${isFree}
    ORDER BY sequence LIMIT $1::int FOR UPDATE SKIP LOCKED) AS of_tenant`

const buildClaimSql = (due: string) => `
  WITH ${withoutFlush}, due AS MATERIALIZED (${due}), claimed AS (
    UPDATE outbox_events SET leased_until = statement_timestamp() + $2::int * interval '1 millisecond'
    FROM without_flush, due WHERE outbox_events.id = due.id RETURNING outbox_events.*
  )
  SELECT id::text, type, tenant_id::text, business_unit_id::text, trace_id::text, payload::text, traceparent,
    ${writtenColumns}
  FROM claimed ORDER BY sequence`

const claimInOrderSql = buildClaimSql(inOrder)
const claimInTurnsSql = buildClaimSql(inTurns)

/**
 * **What it does.** Claims unpublished events by a lease: a batch in the order of writing, and after a full one a batch
 * in turns of the tenants.
 *
 * **Guarantees.**
 * - Relays claim different events.
 * - While events wait, every second batch is in turns. It looks at 100 tenants at most, and continues after the last
 *   tenant of the previous one. So with up to 100 waiting tenants, the first event of each is in the second batch.
 * - A tenant that waits alone gets full batches.
 *
 * **Not guaranteed.** Order. A relay claims the events of one tenant in the order of writing.
 */
export class OutboxClaims {
  readonly #options: OutboxClaimsOptions
  readonly #tenantsMax: number
  #isTurn = false
  /** The tenant after which the next claim in turns begins. */
  #after = beforeTenants

  constructor(options: OutboxClaimsOptions) {
    this.#options = options
    this.#tenantsMax = Math.min(tenantsOfClaimMax, options.batchMax)
  }

  /** Whether every event is published: one probe of an index, which locks and writes nothing. */
  async isEmpty(): Promise<boolean> {
    const [row] = await this.#options.db.$queryRawUnsafe<[{ empty: boolean }]>(isEmptySql)
    return row.empty
  }

  async next(): Promise<Claim> {
    const { db, batchMax, leaseMs } = this.#options
    if (this.#isTurn) {
      this.#isTurn = false
      return { rows: await this.#inTurns(), mayBeMore: true }
    }
    const rows = await db.$queryRawUnsafe<OutboxRow[]>(claimInOrderSql, batchMax, leaseMs)
    this.#isTurn = rows.length >= batchMax
    return { rows, mayBeMore: this.#isTurn }
  }

  async #inTurns(): Promise<readonly OutboxRow[]> {
    const { db, batchMax, leaseMs } = this.#options
    const waiting = {
      table: 'outbox_events',
      condition: isWaiting,
      column: 'sequence',
      tenantsMax: this.#tenantsMax,
    }
    const tenants = await waitingTenants(db, waiting, this.#after)
    const last = tenants.length < this.#tenantsMax ? undefined : tenants.at(-1)
    this.#after = last?.tenantId ?? beforeTenants
    if (tenants.length === 0) return []
    const ids = JSON.stringify(tenants.map(({ tenantId }) => tenantId))
    return db.$queryRawUnsafe(claimInTurnsSql, Math.floor(batchMax / tenants.length), leaseMs, ids)
  }
}

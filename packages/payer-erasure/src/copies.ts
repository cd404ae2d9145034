import type { SqlTx } from '@payments/chassis/database/transaction'
import { columnOf, retention, type Stored } from '@payments/chassis/request/idempotency'
import { erasureRequestType } from '@payments/contracts/nouns/payer-erasure'
import type { ErasureRow } from './erasure-row.ts'
import { concerns, createdAtOf, patternOf, withoutPayer } from './payer-data.ts'

/** The resources of one batch, and where the next one continues. Null: the step has no further batch. */
export interface Batch {
  readonly resourceIds: readonly string[]
  /** Only copies of events with a lower version have the payer. Undefined: all copies. */
  readonly versionsBelow?: number
  readonly position: string | null
}

/** Rows that one statement reads. */
const rowsMax = 2_000
/** Rows that one batch writes, each by a statement: a batch with its transaction takes seconds at most. */
const foundMax = 100
const firstId = '00000000-0000-0000-0000-000000000000'

interface Page<Row> {
  readonly last: string | null
  readonly scanned: number
  /** In their order, with their place in it. */
  readonly found: readonly (Row & { readonly at: string; readonly place: string })[]
}

/** Where the next batch continues: after the last found row of a full batch, or after the scanned ones. */
function positionAfter({ last, scanned, found }: Page<unknown>): string | null {
  if (found.length === foundMax) return found.at(-1)?.place ?? null
  return scanned < rowsMax ? null : last
}

type Copies = Pick<ErasureRow, 'tenantId' | 'address' | 'createdUntil' | 'position'>

/** Whether a copy, written at `at`, is of a resource with the payer that is not new data. */
const isErasable = (json: unknown, at: string, { address, createdUntil }: Pick<Copies, 'address' | 'createdUntil'>) =>
  concerns(json, address) && (createdAtOf(json) ?? new Date(at)) <= createdUntil

/**
 * Erases the payer from events in the outbox, published ones included: they may be published again. Rows of all tenants
 * are scanned in the order of the primary key.
 */
export async function eraseFromOutbox(
  tx: SqlTx,
  { tenantId, address, createdUntil, position }: Copies,
): Promise<Batch> {
  const [page] = await tx.$queryRawUnsafe<[Page<{ id: string; payload: unknown }>]>(
    `WITH scanned AS MATERIALIZED (
       SELECT id, tenant_id, type, payload, occurred_at FROM outbox_events WHERE id > $1::uuid ORDER BY id LIMIT $2::int)
     SELECT (SELECT max(id::text) FROM scanned) AS last, (SELECT count(*)::int FROM scanned) AS scanned,
       coalesce((SELECT jsonb_agg(one ORDER BY one->>'place') FROM (
         SELECT jsonb_build_object('id', id, 'place', id, 'payload', payload, 'at', occurred_at) AS one FROM scanned
         WHERE tenant_id = $3::uuid AND type <> $4 AND lower(payload::text COLLATE "C") ~ $5
         ORDER BY id LIMIT $6::int) AS found),
         '[]') AS found`,
    position ?? firstId,
    rowsMax,
    tenantId,
    erasureRequestType,
    patternOf(address),
    foundMax,
  )
  for (const { id, payload, at } of page.found) {
    if (!isErasable(payload, at, { address, createdUntil })) continue
    await tx.$executeRawUnsafe(
      `UPDATE outbox_events SET payload = $3::jsonb WHERE tenant_id = $1::uuid AND id = $2::uuid`,
      tenantId,
      id,
      JSON.stringify(withoutPayer(payload)),
    )
  }
  return { resourceIds: [], position: positionAfter(page) }
}

/** Erases the payer from stored responses. A repeated request gets the response without the payer. */
export async function eraseFromReplies(
  tx: SqlTx,
  { tenantId, address, createdUntil, position }: Copies,
): Promise<Batch> {
  const [page] = await tx.$queryRawUnsafe<[Page<{ key: string; reply: Stored }>]>(
    `WITH scanned AS MATERIALIZED (
       SELECT key, reply, expires_at - ${retention} AS at FROM idempotency_keys WHERE tenant_id = $1::uuid AND ($2::text IS NULL OR key > $2)
       ORDER BY key LIMIT $3::int)
     SELECT (SELECT max(key) FROM scanned) AS last, (SELECT count(*)::int FROM scanned) AS scanned,
       coalesce((SELECT jsonb_agg(one ORDER BY one->>'place') FROM (
         SELECT jsonb_build_object('key', key, 'place', key, 'reply', reply, 'at', at) AS one FROM scanned
         WHERE reply IS NOT NULL AND lower(reply::text COLLATE "C") ~ $4
         ORDER BY key LIMIT $5::int) AS found), '[]') AS found`,
    tenantId,
    position,
    rowsMax,
    patternOf(address),
    foundMax,
  )
  for (const { key, reply, at } of page.found) {
    if (!isErasable(reply, at, { address, createdUntil })) continue
    const { text: _, ...stored } = reply as Stored & { text?: string }
    await tx.$executeRawUnsafe(
      `UPDATE idempotency_keys SET reply = $3::jsonb WHERE tenant_id = $1::uuid AND key = $2 AND reply IS NOT NULL`,
      tenantId,
      key,
      columnOf(withoutPayer(stored) as Stored),
    )
  }
  return { resourceIds: [], position: positionAfter(page) }
}

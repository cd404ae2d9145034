import type { SqlTx } from '@payments/chassis/database/transaction'
import { columnOf, retention, type Stored } from '@payments/chassis/request/idempotency'
import { erasureRequestType } from '@payments/contracts/nouns/payer-erasure'
import type { ErasureRow } from './erasure-row.ts'
import { concerns, createdAtOf, patternOf, withoutPayer } from './payer-data.ts'

/** The resources of one batch, and where the next one continues. Null: the step has no further batch. */
export interface Batch {
  readonly resourceIds: readonly string[]
  readonly position: string | null
}

/** Rows that one statement reads. */
const rowsMax = 2_000
const firstId = '00000000-0000-0000-0000-000000000000'

interface Page<Row> {
  readonly last: string | null
  readonly scanned: number
  readonly found: readonly (Row & { readonly at: string })[]
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
       coalesce((SELECT jsonb_agg(jsonb_build_object('id', id, 'payload', payload, 'at', occurred_at)) FROM scanned
         WHERE tenant_id = $3::uuid AND type <> $4 AND lower(payload::text) ~ $5), '[]') AS found`,
    position ?? firstId,
    rowsMax,
    tenantId,
    erasureRequestType,
    patternOf(address),
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
  return { resourceIds: [], position: page.scanned < rowsMax ? null : page.last }
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
       coalesce((SELECT jsonb_agg(jsonb_build_object('key', key, 'reply', reply, 'at', at)) FROM scanned
         WHERE reply IS NOT NULL AND lower(reply::text) ~ $4), '[]') AS found`,
    tenantId,
    position,
    rowsMax,
    patternOf(address),
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
  return { resourceIds: [], position: page.scanned < rowsMax ? null : page.last }
}

import { bytesSql, partOfSizes } from '@payments/chassis/database/list-part'
import { attemptsShownMax } from '@payments/contracts/services/webhooks/delivery'
import type { Selection } from '../../domain/dead-letter/dead-letter.ts'
import type { AttemptModel } from '../../generated/models.ts'
import type { Tx } from '../database.ts'
import { withBounds } from '../id-bounds.ts'

/** The body that the receiver gets, rendered when the row has none. Null when the event is no longer stored either. */
export async function readBody(tx: Tx, tenantId: string, deliveryId: string): Promise<string | null> {
  const [row] = await tx.$queryRawUnsafe<{ body: string | null }[]>(
    `SELECT convert_from(coalesce(d.body, CASE WHEN e.payload IS NOT NULL THEN webhooks_body(d.trace_id, d.tenant_id,
       d.event_type, e.payload, d.business_unit_id, d.tenant_event_id) END), 'UTF8') AS body
     FROM deliveries d LEFT JOIN events e
       ON (e.tenant_id, e.tenant_event_id, e.occurred_at) = (d.tenant_id, d.tenant_event_id, d.occurred_at)
     WHERE d.tenant_id = $1::uuid AND d.id = $2::uuid`,
    tenantId,
    deliveryId,
  )
  return row?.body ?? null
}

/** JSON escapes bytes that are no text, so the bytes of a body count twice. */
const attemptBytes = `${bytesSql(['response_headers', 'destination_url'])} + 2 * coalesce(octet_length(response_body), 0)`

/** The latest attempts that fit into one page, oldest first. */
export async function listLatestAttempts(
  tx: Tx,
  tenantId: string,
  deliveryId: string,
): Promise<readonly AttemptModel[]> {
  const sizes = await tx.$queryRawUnsafe<{ key: number; bytes: number }[]>(
    `SELECT number AS key, ${attemptBytes} AS bytes FROM attempts
     WHERE tenant_id = $1::uuid AND delivery_id = $2::uuid ORDER BY number DESC LIMIT $3::int`,
    tenantId,
    deliveryId,
    attemptsShownMax,
  )
  const { rows } = await partOfSizes(sizes, attemptsShownMax, (numbers) =>
    tx.attempt.findMany({ where: { tenantId, deliveryId, number: { in: numbers } }, orderBy: { number: 'asc' } }),
  )
  return rows
}

/** As `presentHold` of the domain: a backlogged row keeps its status when the subscription is disabled. */
const held = `d.tenant_id = $1::uuid AND d.subscription_id = $2::uuid AND d.backlogged AND (d.status = 'held' OR EXISTS (
  SELECT FROM subscriptions s LEFT JOIN destinations t ON t.subscription_id = s.id
  WHERE s.tenant_id = $1::uuid AND s.id = $2::uuid AND (NOT s.enabled OR t.breaker <> 'closed')))`

/** Locks deliveries that are held for a subscription and were created by `heldBy`, oldest events first. */
export async function lockHeld(
  tx: Tx,
  tenantId: string | null,
  { subscriptionId }: Selection,
  { heldBy, rowsMax }: { heldBy: Date; rowsMax: number },
): Promise<string[]> {
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(
    `SELECT d.id FROM deliveries d WHERE ${held} AND d.created_at <= $3::timestamptz ORDER BY d.id LIMIT $4::int FOR UPDATE`,
    tenantId,
    subscriptionId,
    heldBy.toISOString(),
    rowsMax,
  )
  return rows.map(({ id }) => id)
}

/** The ids of which a delivery exists. */
export async function listExisting(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(
    `SELECT d.id FROM deliveries d WHERE d.id = ANY($1::uuid[]) AND d.id BETWEEN $2::uuid AND $3::uuid`,
    ...withBounds(ids),
  )
  return new Set(rows.map(({ id }) => id))
}

export async function listSubscriptionIds(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(
    `SELECT DISTINCT d.subscription_id AS id FROM deliveries d
     WHERE d.id = ANY($1::uuid[]) AND d.id BETWEEN $2::uuid AND $3::uuid`,
    ...withBounds(ids),
  )
  return rows.map(({ id }) => id)
}

export async function countHeld(tx: Tx, tenantId: string, subscriptionId: string): Promise<number> {
  const [row] = await tx.$queryRawUnsafe<[{ count: number }]>(
    `SELECT count(*)::int AS count FROM deliveries d WHERE ${held}`,
    tenantId,
    subscriptionId,
  )
  return row.count
}

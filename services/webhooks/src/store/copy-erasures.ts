import type { Tx } from './database.ts'

/** Reports of services about erased resources: the work of the dispatcher on its copies of these. */

export interface CopyErasure {
  /** The id of the event with the report. */
  readonly id: string
  readonly tenantId: string
  readonly erasureId: string
  readonly traceId: string
  /** At least one. */
  readonly resourceIds: readonly string[]
  /** Copies of events with this version or a higher one stay. Null: copies of all events are erased. */
  readonly versionsBelow: number | null
}

export interface CopyErasureRow extends CopyErasure {
  /** The second pass finds the events that fan-out was storing during the first one. */
  readonly pass: number
  /** The last event whose copies this pass has erased. Null: none. */
  readonly position: string | null
}

/** Does nothing for a report that is stored. */
export async function insertCopyErasure(tx: Tx, report: CopyErasure): Promise<void> {
  const { id, tenantId, erasureId, traceId, resourceIds, versionsBelow } = report
  await tx.$executeRaw`
    INSERT INTO copy_erasures (id, tenant_id, erasure_id, trace_id, resource_ids, versions_below, due_at)
    VALUES (${id}::uuid, ${tenantId}::uuid, ${erasureId}::uuid, ${traceId}::uuid, ${[...resourceIds]}::uuid[],
      ${versionsBelow}::int, date_trunc('milliseconds', clock_timestamp()))
    ON CONFLICT (id) DO NOTHING`
}

export async function readCopyErasure(tx: Tx, id: string): Promise<CopyErasureRow> {
  const [row] = await tx.$queryRaw<[CopyErasureRow]>`
    SELECT id::text, tenant_id::text AS "tenantId", erasure_id::text AS "erasureId", trace_id::text AS "traceId",
      resource_ids::text[] AS "resourceIds", versions_below AS "versionsBelow", pass, position::text
    FROM copy_erasures WHERE id = ${id}::uuid`
  return row
}

/** The next batch is due `delayMs` later; 0: at once. */
export async function continueCopyErasure(
  tx: Tx,
  { id, tenantId, pass, position }: Pick<CopyErasureRow, 'id' | 'tenantId' | 'pass' | 'position'>,
  delayMs: number,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE copy_erasures SET pass = ${pass}, position = ${position}::uuid, failures = 0,
      due_at = CASE ${delayMs}::int WHEN 0 THEN due_at ELSE clock_timestamp() + ${delayMs}::int * interval '1 millisecond' END
    WHERE tenant_id = ${tenantId}::uuid AND id = ${id}::uuid`
}

export async function endCopyErasure(tx: Tx, { id, tenantId }: Pick<CopyErasure, 'id' | 'tenantId'>): Promise<void> {
  await tx.$executeRaw`DELETE FROM copy_erasures WHERE tenant_id = ${tenantId}::uuid AND id = ${id}::uuid`
}

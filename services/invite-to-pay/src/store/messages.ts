import type { MessageModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

type MessageInsert = Pick<MessageModel, 'id' | 'codeId' | 'kind' | 'traceId'>

/** The transaction holds the lock of the code. */
export async function insertMessage(
  tx: Tx,
  tenantId: string,
  message: MessageInsert,
  dueAt = new Date(),
): Promise<void> {
  await tx.message.create({ data: { ...message, tenantId, dueAt } })
}

export async function hasMessage(tx: Tx, tenantId: string, id: string): Promise<boolean> {
  return (await tx.message.count({ where: { tenantId, id } })) > 0
}

/** A message that this process attempts until its lease expires. `attemptCount` includes this attempt. */
export type ClaimedMessage = Omit<MessageModel, 'dueAt'>

/** Claims messages that the transaction has locked, until `leaseUntil`. */
export function claim(tx: Tx, ids: readonly string[], leaseUntil: Date): Promise<ClaimedMessage[]> {
  return tx.$queryRaw`
    UPDATE messages SET due_at = ${leaseUntil}, attempt_count = attempt_count + 1
    WHERE id = ANY(${ids}::uuid[])
    RETURNING id::text AS "id", tenant_id::text AS "tenantId", code_id::text AS "codeId", kind::text AS "kind",
      trace_id::text AS "traceId", attempt_count AS "attemptCount", created_at AS "createdAt"`
}

/** Sets the time of the next attempt, or ends the message. False after another attempt has started. */
export async function setDue(
  tx: Tx,
  { tenantId, id, attemptCount }: Pick<ClaimedMessage, 'tenantId' | 'id' | 'attemptCount'>,
  dueAt: Date | null,
): Promise<boolean> {
  const where = { tenantId, id, attemptCount, dueAt: { not: null } }
  return (await tx.message.updateMany({ where, data: { dueAt } })).count === 1
}

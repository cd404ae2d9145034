import { bytesSql, partOfList, type SizedTable } from '@payments/chassis/database/list-part'
import type { ListPart } from '@payments/contracts/grammar/page'
import type { OutboxMessageFacts } from '../domain/communication.ts'
import type { OutboxMessageModel } from '../generated/models.ts'
import type { Tx } from './database.ts'
import { spellingsOf } from './spellings.ts'

/** Does nothing for a message that is stored already. */
export async function insertOutboxMessage(
  tx: Tx,
  tenantId: string,
  message: Omit<OutboxMessageFacts, 'createdAt'>,
): Promise<void> {
  const { id, businessUnitId, communicationType, recipient, content } = message
  const row = { id, tenantId, businessUnitId, communicationType, recipient, content: { ...content } }
  await tx.outboxMessage.createMany({ data: [row], skipDuplicates: true })
}

const sized: SizedTable = { table: 'outbox_messages', bytes: bytesSql(['content']) }

/** Newest first. */
export async function listOutbox(
  tx: Tx,
  tenantId: string,
  query: { before: string | undefined; limit: number; recipient: string | undefined },
): Promise<ListPart<OutboxMessageFacts, string>> {
  const { before, limit, recipient } = query
  const filters = {
    ...(before === undefined ? {} : { id: { lt: before } }),
    ...(recipient === undefined ? {} : { recipient }),
  }
  const orderBy = { id: 'desc' } as const
  const where = { tenantId, ...filters }
  const found = await tx.outboxMessage.findMany({ where, orderBy, take: limit + 1, select: { id: true } })
  return partOfList(tx, tenantId, { of: sized, ids: found.map(({ id }) => id), limit }, async (ids) => {
    const rows = await tx.outboxMessage.findMany({ where: { tenantId, id: { in: ids } }, orderBy })
    return rows.map(messageOf)
  })
}

/** Across tenants: deletes the messages to a recipient that were sent on behalf of a tenant. */
export async function eraseOutboxRecipient(tx: Tx, recipient: string): Promise<number> {
  const recipients = await spellingsOf(tx, 'outbox_messages', recipient)
  return tx.$executeRaw`
    DELETE FROM outbox_messages WHERE business_unit_id IS NULL AND recipient = ANY(${recipients}::text[])`
}

/** Deletes at most `rowsMax` messages that are older than a week. */
export async function purgeOutbox(tx: Tx, rowsMax = 10_000): Promise<number> {
  return tx.$executeRaw`
    DELETE FROM outbox_messages WHERE id IN
      (SELECT id FROM outbox_messages WHERE created_at < now() - interval '7 days' LIMIT ${rowsMax}
       FOR UPDATE SKIP LOCKED)`
}

const messageOf = (row: OutboxMessageModel): OutboxMessageFacts => ({
  ...row,
  content: row.content as unknown as OutboxMessageFacts['content'],
})

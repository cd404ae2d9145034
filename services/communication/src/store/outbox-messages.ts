import { bytesSql, partOfList, type SizedTable } from '@payments/chassis/database/list-part'
import { purgeRows } from '@payments/chassis/database/purges'
import { searchIds } from '@payments/chassis/database/search-ids'
import type { ListPart } from '@payments/contracts/grammar/page'
import type { OutboxMessageFacts } from '../domain/communication.ts'
import { Prisma } from '../generated/client.ts'
import type { OutboxMessageModel } from '../generated/models.ts'
import type { Tx } from './database.ts'
import { listSpellings } from './spellings.ts'

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
  const where = recipient === undefined ? [] : [Prisma.sql`recipient = ${recipient}`]
  const { rows: found, searchedTo } = await searchIds(tx, tenantId, { table: sized.table, where, before, limit })
  const listed = { of: sized, ids: found.map(({ id }) => id), limit }
  const part = await partOfList(tx, tenantId, listed, async (ids) => {
    const rows = await tx.outboxMessage.findMany({ where: { tenantId, id: { in: ids } }, orderBy: { id: 'desc' } })
    return rows.map(toMessage)
  })
  return { ...part, continuesAfter: part.continuesAfter ?? searchedTo }
}

/** Across tenants: deletes the messages to a recipient that were sent on behalf of a tenant. */
export async function eraseOutboxRecipient(tx: Tx, recipient: string): Promise<number> {
  const recipients = await listSpellings(tx, 'outbox_messages', recipient)
  return tx.$executeRaw`
    DELETE FROM outbox_messages WHERE business_unit_id IS NULL AND recipient = ANY(${recipients}::text[])`
}

/** Deletes messages that are older than a week. */
export const purgeOutbox = purgeRows('outbox_messages', 'id', "created_at < now() - interval '7 days'")

const toMessage = (row: OutboxMessageModel): OutboxMessageFacts => ({
  ...row,
  content: row.content as unknown as OutboxMessageFacts['content'],
})

import { bytesSql, partOfList, type SizedTable } from '@payments/chassis/database/list-part'
import { erased } from '@payments/contracts/nouns/payer-erasure'
import { type PayerScan, type PayerTable, scanForPayer, scanPage } from '@payments/service/payers/scan'
import type { CommunicationModel, OutboxMessageModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

/** The data of payers: recipients, texts, and what providers said about them. */

export interface ErasedCommunication {
  readonly id: string
  /** Whether the message was queued: it is not sent. */
  readonly wasQueued: boolean
}

/** The detail of the failure of a queued message. An attempt may still be in progress at the provider. */
export interface FailureDetails {
  readonly withoutAttempt: string
  readonly afterAttempt: string
}

const communications: PayerTable = { table: 'communications', addresses: ['recipient'] }

/** Erases the messages to an address among the next ones of a scan. A queued one fails. */
export async function eraseCommunications(
  tx: Tx,
  scan: PayerScan,
  details: FailureDetails,
): Promise<{ readonly messages: readonly ErasedCommunication[]; readonly position: string | null }> {
  const { tenantId } = scan
  const { ids, position } = await scanForPayer(tx, communications, scan)
  const messages = await tx.$queryRaw<ErasedCommunication[]>`
    WITH locked AS MATERIALIZED (
      SELECT id, status, attempt_count FROM communications
      WHERE tenant_id = ${tenantId}::uuid AND id = ANY(${ids}::uuid[])
      ORDER BY id FOR NO KEY UPDATE)
    UPDATE communications AS c SET recipient = ${erased}, provider_message_id = NULL, content = NULL, due_at = NULL,
      status = CASE c.status WHEN 'queued' THEN 'failed' ELSE c.status END,
      error = CASE c.status WHEN 'queued' THEN jsonb_build_object('code', 'refused', 'detail',
          CASE locked.attempt_count WHEN 0 THEN ${details.withoutAttempt}::text ELSE ${details.afterAttempt}::text END)
        WHEN 'failed' THEN c.error || jsonb_build_object('detail', ${erased}::text) END
    FROM locked WHERE c.id = locked.id AND c.tenant_id = ${tenantId}::uuid
    RETURNING c.id::text AS "id", locked.status = 'queued' AS "wasQueued"`
  return { messages, position }
}

/** Redacts at most `rowsMax` ended messages that were requested before `before`. Returns their number. */
export function redactCommunications(tx: Tx, tenantId: string, before: Date, rowsMax: number): Promise<number> {
  return tx.$executeRaw`
    WITH old AS MATERIALIZED (
      SELECT id FROM communications
      WHERE tenant_id = ${tenantId}::uuid AND created_at < ${before} AND status <> 'queued' AND recipient <> ${erased}
      ORDER BY created_at LIMIT ${rowsMax} FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE communications SET recipient = ${erased}, provider_message_id = NULL,
      error = CASE WHEN error IS NULL THEN NULL ELSE error || jsonb_build_object('detail', ${erased}::text) END
    FROM old WHERE communications.id = old.id`
}

export interface PayerMessages {
  readonly communications: readonly CommunicationModel[]
  /** Where the next page continues. */
  readonly position: string | null
  /** The texts of these that the provider `outbox` stored. */
  readonly outbox: readonly OutboxMessageModel[]
}

/** A message is queued or in the outbox; the text of a queued message in the outbox is counted twice. */
const sized: SizedTable = {
  table: 'communications',
  bytes: `${bytesSql(['content'])} + coalesce((SELECT octet_length(sent.content::text) FROM outbox_messages AS sent
    WHERE sent.tenant_id = communications.tenant_id AND sent.id = communications.id), 0)`,
}

/** A page of the messages to an address, oldest first. */
export async function listPayerMessages(tx: Tx, page: Omit<PayerScan, 'createdUntil'>): Promise<PayerMessages> {
  const { ids, position } = await scanPage(tx, communications, page)
  const { tenantId, limit } = page
  const part = await partOfList(tx, tenantId, { of: sized, ids, limit }, (found) =>
    tx.communication.findMany({ where: { tenantId, id: { in: found } }, orderBy: { id: 'asc' } }),
  )
  const where = { tenantId, id: { in: part.rows.map(({ id }) => id) } }
  const outbox = await tx.outboxMessage.findMany({ where })
  return { communications: part.rows, position: part.continuesAfter ?? position, outbox }
}

import { erased } from '@payments/contracts/nouns/payer-erasure'
import { Prisma } from '../generated/client.ts'
import type { CommunicationModel, OutboxMessageModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

/** The data of payers: recipients, texts, and what providers said about them. */

export interface ErasedCommunication {
  readonly id: string
  /** Whether the message was queued: it is not sent. */
  readonly wasQueued: boolean
}

export interface ErasedPayer {
  readonly address: string
  /** Later messages are new data. */
  readonly createdUntil: Date
  readonly rowsMax: number
}

/** The detail of the failure of a queued message. An attempt may still be in progress at the provider. */
export interface FailureDetails {
  readonly withoutAttempt: string
  readonly afterAttempt: string
}

/** Erases at most `rowsMax` messages to the address. A queued one fails. */
export function eraseCommunications(
  tx: Tx,
  tenantId: string,
  { address, createdUntil, rowsMax, details }: ErasedPayer & { readonly details: FailureDetails },
): Promise<ErasedCommunication[]> {
  return tx.$queryRaw`
    WITH locked AS MATERIALIZED (
      SELECT id, status, attempt_count FROM communications
      WHERE tenant_id = ${tenantId}::uuid AND payer_address(recipient) = ${address} AND created_at <= ${createdUntil}
      ORDER BY id LIMIT ${rowsMax} FOR NO KEY UPDATE)
    UPDATE communications AS c SET recipient = ${erased}, provider_message_id = NULL, content = NULL, due_at = NULL,
      status = CASE c.status WHEN 'queued' THEN 'failed' ELSE c.status END,
      error = CASE c.status WHEN 'queued' THEN jsonb_build_object('code', 'refused', 'detail',
          CASE locked.attempt_count WHEN 0 THEN ${details.withoutAttempt}::text ELSE ${details.afterAttempt}::text END)
        WHEN 'failed' THEN c.error || jsonb_build_object('detail', ${erased}::text) END
    FROM locked WHERE c.id = locked.id AND c.tenant_id = ${tenantId}::uuid
    RETURNING c.id::text AS "id", locked.status = 'queued' AS "wasQueued"`
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

/** Deletes at most `rowsMax` messages to a payer that the provider `outbox` stored, by the time of their request. */
export function deleteOutboxMessages(
  tx: Tx,
  tenantId: string,
  { address, createdUntil, rowsMax }: ErasedPayer,
): Promise<number> {
  return tx.$executeRaw`
    DELETE FROM outbox_messages WHERE id IN (
      SELECT sent.id FROM outbox_messages AS sent WHERE sent.tenant_id = ${tenantId}::uuid
        AND sent.business_unit_id IS NOT NULL AND payer_address(sent.recipient) = ${address}
        AND coalesce((SELECT c.created_at FROM communications AS c WHERE c.tenant_id = sent.tenant_id AND c.id = sent.id),
          sent.created_at) <= ${createdUntil}
      LIMIT ${rowsMax} FOR UPDATE OF sent)`
}

export interface PayerMessages {
  readonly communications: readonly CommunicationModel[]
  /** The texts of these that the provider `outbox` stored. */
  readonly outbox: readonly OutboxMessageModel[]
}

/** The messages to an address, oldest first; one more than `limit`. */
export async function listPayerMessages(
  tx: Tx,
  tenantId: string,
  { address, after, limit }: { readonly address: string; readonly after: string | null; readonly limit: number },
): Promise<PayerMessages> {
  const found = await tx.$queryRaw<{ id: string }[]>`
    SELECT id::text AS id FROM communications
    WHERE tenant_id = ${tenantId}::uuid AND payer_address(recipient) = ${address}
      ${after === null ? Prisma.empty : Prisma.sql`AND id > ${after}::uuid`}
    ORDER BY id LIMIT ${limit + 1}`
  const where = { tenantId, id: { in: found.map(({ id }) => id) } }
  const communications = await tx.communication.findMany({ where, orderBy: { id: 'asc' } })
  return { communications, outbox: await tx.outboxMessage.findMany({ where }) }
}

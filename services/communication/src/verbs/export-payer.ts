import type { Exported, ExportQuery } from '@payments/contracts/endpoints/payer-export'
import { normalizeAddress } from '@payments/contracts/nouns/payer-erasure'
import type { StoredMessage } from '@payments/contracts/services/communication/payers'
import type { Deps } from '../deps.ts'
import { presentStoredMessage } from '../domain/stored-message.ts'
import { listPayerMessages } from '../store/payers.ts'

/** For operators: the messages to a payer of a tenant, with their texts as long as they are stored. */
export async function exportPayer(
  { db }: Pick<Deps, 'db'>,
  tenantId: string,
  { recipient, after, limit }: ExportQuery,
): Promise<Exported<StoredMessage>> {
  const page = { tenantId, address: normalizeAddress(recipient), position: after, limit }
  return db.readInTenant(tenantId, async (tx) => {
    const { communications, position, outbox } = await listPayerMessages(tx, page)
    const texts = new Map(outbox.map(({ id, content }) => [id, content]))
    return { data: communications.map((row) => presentStoredMessage(row, texts.get(row.id))), next_after: position }
  })
}

import { type Exported, type ExportQuery, exportedOf } from '@payments/contracts/endpoints/payer-export'
import { addressOf } from '@payments/contracts/nouns/payer-erasure'
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
  const address = addressOf(recipient)
  return db.readInTenant(tenantId, async (tx) => {
    const { communications, outbox } = await listPayerMessages(tx, tenantId, { address, after, limit })
    const texts = new Map(outbox.map(({ id, content }) => [id, content]))
    return exportedOf(
      communications.map((row) => presentStoredMessage(row, texts.get(row.id))),
      limit,
    )
  })
}

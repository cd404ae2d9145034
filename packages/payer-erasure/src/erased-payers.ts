import type { SqlTx } from '@payments/chassis/database/transaction'
import { addressOf } from '@payments/contracts/nouns/payer-erasure'
import { createdUntilOf, type Erasure } from './erasure-row.ts'
import { addressHashesOf, type PayerHashKeys } from './hash-keys.ts'

/**
 * The table of payers that the service has erased, by a keyed hash: an old event that arrives later creates nothing
 * about them. Without the key, a phone number is not found by trying all. Identical in each schema.prisma, with
 * row-level security. A row is deleted after 90 days, when no event from before the erasure is on its way.
 */
export const erasedPayerModel = `model ErasedPayer {
  tenantId    String   @map("tenant_id") @db.Uuid
  addressHash Bytes    @map("address_hash")
  requestedAt DateTime @map("requested_at") @db.Timestamptz(3)
  erasedAt    DateTime @default(now()) @map("erased_at") @db.Timestamptz(3)

  @@id([tenantId, addressHash])
  @@index([erasedAt])
  @@map("erased_payers")
}`

/** Ends the work on an erasure: the hash of the address replaces it, where the service has keys. */
export async function endErasure(
  tx: SqlTx,
  hashKeys: PayerHashKeys | null,
  { id, tenantId, address, requestedAt }: Pick<Erasure, 'id' | 'tenantId' | 'address' | 'requestedAt'>,
): Promise<void> {
  await tx.$executeRawUnsafe(`DELETE FROM payer_erasures WHERE tenant_id = $1::uuid AND id = $2::uuid`, tenantId, id)
  if (hashKeys === null) return
  const [hash] = addressHashesOf(hashKeys, tenantId, address)
  await tx.$executeRawUnsafe(
    `INSERT INTO erased_payers AS e (tenant_id, address_hash, requested_at) VALUES ($1::uuid, $2::bytea, $3::timestamptz)
     ON CONFLICT (tenant_id, address_hash) DO UPDATE
       SET requested_at = greatest(e.requested_at, excluded.requested_at), erased_at = excluded.erased_at`,
    tenantId,
    hash,
    requestedAt,
  )
}

/** Whether an erasure of the recipient, which lasts or ended in the last 90 days, is of resources of this time. */
export async function isErased(
  tx: SqlTx,
  hashKeys: PayerHashKeys,
  { tenantId, recipient, createdAt }: { tenantId: string; recipient: string; createdAt: Date },
): Promise<boolean> {
  const address = addressOf(recipient)
  const rows = await tx.$queryRawUnsafe<{ requestedAt: Date }[]>(
    `SELECT requested_at AS "requestedAt" FROM payer_erasures WHERE tenant_id = $1::uuid AND address = $2
     UNION ALL
     SELECT requested_at FROM erased_payers WHERE tenant_id = $1::uuid AND address_hash = ANY($3::bytea[])`,
    tenantId,
    address,
    addressHashesOf(hashKeys, tenantId, address),
  )
  return rows.some(({ requestedAt }) => createdAt <= createdUntilOf(requestedAt))
}

/** Deletes at most `rowsMax` payers that were erased more than 90 days ago. */
export async function purgeErasedPayers(tx: SqlTx, rowsMax = 10_000): Promise<void> {
  await tx.$executeRawUnsafe(
    `DELETE FROM erased_payers WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM erased_payers
       WHERE erased_at < now() - interval '90 days' LIMIT $1::int FOR UPDATE SKIP LOCKED))`,
    rowsMax,
  )
}

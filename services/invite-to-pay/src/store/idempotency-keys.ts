import type { Caller } from '@payments/chassis/base/caller'
import { lockIdempotencyKey } from '@payments/chassis/request/idempotency'
import { Prisma } from '../generated/client.ts'
import type { Tx } from './database.ts'

/**
 * Deletes the key of a request that was rejected, so that a corrected request can use it. `reference`: unless another
 * request has replaced the reference.
 */
export async function deleteUnfinished(tx: Tx, tenantId: string, caller: Caller, reference?: string): Promise<void> {
  const { idempotency } = caller
  if (idempotency === null) return
  await lockIdempotencyKey(tx, caller)
  const { key, fingerprint } = idempotency
  const referring = reference === undefined ? {} : { reference }
  await tx.idempotencyKey.deleteMany({
    where: { tenantId, key, fingerprint, reply: { equals: Prisma.DbNull }, ...referring },
  })
}

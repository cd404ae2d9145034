import type { Caller } from '@payments/chassis/base/caller'
import { lockIdempotencyKey } from '@payments/chassis/request/idempotency'
import { Prisma } from '../generated/client.ts'
import type { Tx } from './database.ts'

/** Deletes the key of a request, unless another request has finished it or replaced its reference. */
export async function deleteUnfinished(tx: Tx, tenantId: string, caller: Caller, reference: string): Promise<void> {
  const { idempotency } = caller
  if (idempotency === null) return
  await lockIdempotencyKey(tx, caller)
  const { key, fingerprint } = idempotency
  await tx.idempotencyKey.deleteMany({
    where: { tenantId, key, fingerprint, reply: { equals: Prisma.DbNull }, reference },
  })
}

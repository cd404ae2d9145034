import type { SqlTx } from '@payments/chassis/database/transaction'
import { addressOf } from '@payments/contracts/nouns/payer-erasure'

/**
 * The table of erasures that a service works on, identical in each schema.prisma. It has row-level security, an index
 * of tenant and due time, and the SQL function `payer_address`, which is `addressOf` of the contract. The row is
 * deleted after the second pass, and with it the address.
 */
export const payerErasureModel = `model PayerErasure {
  id          String   @id @db.Uuid
  tenantId    String   @map("tenant_id") @db.Uuid
  traceId     String   @map("trace_id") @db.Uuid
  address     String
  requestedAt DateTime @map("requested_at") @db.Timestamptz(3)
  pass        Int      @default(1)
  step        Int      @default(0)
  position    String?
  failures    Int      @default(0)
  dueAt       DateTime @default(now()) @map("due_at") @db.Timestamptz(3)
  createdAt   DateTime @default(now()) @map("created_at") @db.Timestamptz(3)

  @@index([tenantId, dueAt])
  @@map("payer_erasures")
}`

export interface Erasure {
  readonly id: string
  readonly tenantId: string
  readonly traceId: string
  /** `addressOf` the recipient. */
  readonly address: string
  /** By the clock of communication. */
  readonly requestedAt: Date
}

export interface ErasureRow extends Erasure {
  /** The second pass finds what was in progress during the first one. */
  readonly pass: number
  /** Number of the step among those of the service, and where its next batch continues. */
  readonly step: number
  readonly position: string | null
  /** Resources that were created later are new data, which the erasure leaves. */
  readonly createdUntil: Date
}

/** Longer than a request lasts that the tenant sent before the erasure. */
const requestMsMax = 30_000

/** Resources that were created later are new data. */
export const createdUntilOf = (requestedAt: Date): Date => new Date(requestedAt.getTime() + requestMsMax)

/** Does nothing for an erasure that the service works on. */
export async function storeErasure(tx: SqlTx, { id, tenantId, traceId, address, requestedAt }: Erasure): Promise<void> {
  await tx.$executeRawUnsafe(
    `INSERT INTO payer_erasures (id, tenant_id, trace_id, address, requested_at, due_at)
     VALUES ($1::uuid, $2::uuid, $3::uuid, $4, $5::timestamptz, date_trunc('milliseconds', clock_timestamp()))
     ON CONFLICT (id) DO NOTHING`,
    id,
    tenantId,
    traceId,
    address,
    requestedAt,
  )
}

/** A process of the previous release stores another key of some addresses. */
export async function readErasure(tx: SqlTx, id: string): Promise<ErasureRow> {
  const [row] = await tx.$queryRawUnsafe<[Omit<ErasureRow, 'createdUntil'>]>(
    `SELECT id::text, tenant_id::text AS "tenantId", trace_id::text AS "traceId", address,
       requested_at AS "requestedAt", pass, step, position
     FROM payer_erasures WHERE id = $1::uuid`,
    id,
  )
  return { ...row, address: addressOf(row.address), createdUntil: createdUntilOf(row.requestedAt) }
}

/** The next batch is due `delayMs` later; 0: at once. */
export async function continueErasure(
  tx: SqlTx,
  { id, tenantId, pass, step, position }: Pick<ErasureRow, 'id' | 'tenantId' | 'pass' | 'step' | 'position'>,
  delayMs: number,
): Promise<void> {
  await tx.$executeRawUnsafe(
    `UPDATE payer_erasures SET pass = $3, step = $4, position = $5, failures = 0,
       due_at = CASE $6::int WHEN 0 THEN due_at ELSE clock_timestamp() + $6::int * interval '1 millisecond' END
     WHERE tenant_id = $1::uuid AND id = $2::uuid`,
    tenantId,
    id,
    pass,
    step,
    position,
    delayMs,
  )
}

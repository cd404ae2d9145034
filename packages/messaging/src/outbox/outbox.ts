import type { SqlTx } from '@payments/chassis/database/transaction'
import { activeTraceparent } from '@payments/chassis/observability/trace'
import type { EventDefinitions } from '@payments/contracts/grammar/event'
import { v7 as uuidv7 } from 'uuid'
import type { z } from 'zod'

/**
 * The table of `emit` and the relay, identical in each schema.prisma. It has row-level security, and the relay reads
 * the events of all tenants.
 */
export const outboxModel = `model OutboxEvent {
  id             String    @id @db.Uuid
  sequence       BigInt    @default(autoincrement())
  type           String
  tenantId       String    @map("tenant_id") @db.Uuid
  businessUnitId String?   @map("business_unit_id") @db.Uuid
  traceId        String    @map("trace_id") @db.Uuid
  occurredAt     DateTime  @default(now()) @map("occurred_at") @db.Timestamptz(3)
  payload        Json
  traceparent    String?
  leasedUntil    DateTime? @map("leased_until") @db.Timestamptz(3)
  publishedAt    DateTime? @map("published_at") @db.Timestamptz(3)

  @@map("outbox_events")
}`

/** A broker with a lower limit would close the channel of the relay at each attempt to publish a larger payload. */
const payloadBytesMax = 1024 * 1024

export interface Emission<D extends EventDefinitions, T extends keyof D & string> {
  readonly type: T
  readonly tenantId: string
  /** null for an event with the scope `tenant`. */
  readonly businessUnitId: string | null
  readonly traceId: string
  readonly payload: z.input<D[T]['payload']>
}

/**
 * Writes an event to the outbox in the transaction that makes it true: the event is published if, and only if, `tx`
 * commits. Returns its id (UUID v7), which receivers see as `tenant_event_id`. Throws if the type is not defined or
 * the payload does not match its schema. Both are bugs; the transaction rolls back.
 */
export async function emit<D extends EventDefinitions, T extends keyof D & string>(
  tx: SqlTx,
  definitions: D,
  emission: Emission<D, T>,
): Promise<string> {
  const { type, tenantId, businessUnitId, traceId } = emission
  const definition = Object.hasOwn(definitions, type) ? definitions[type] : undefined
  if (definition === undefined) throw new Error(`event type ${type} is not defined`)
  if ((definition.scope === 'business_unit') !== (businessUnitId !== null)) {
    throw new Error(`event ${type} has scope ${definition.scope} and business unit ${businessUnitId}`)
  }
  const payload = JSON.stringify(definition.payload.parse(emission.payload))
  if (Buffer.byteLength(payload) > payloadBytesMax) {
    throw new Error(`event ${type} has a payload of more than ${payloadBytesMax} bytes`)
  }
  const id = uuidv7()
  await tx.$executeRawUnsafe(
    `INSERT INTO outbox_events (id, type, tenant_id, business_unit_id, trace_id, payload, traceparent)
     VALUES ($1::uuid, $2, $3::uuid, $4::uuid, $5::uuid, $6::jsonb, $7)`,
    id,
    type,
    tenantId,
    businessUnitId,
    traceId,
    payload,
    activeTraceparent(),
  )
  return id
}

import type { Commits, SqlTx } from '@payments/chassis/database/transaction'
import { activeTraceparent } from '@payments/chassis/observability/trace'
import type { EventDefinitions } from '@payments/contracts/grammar/event'
import { hasUnstorableText } from '@payments/contracts/grammar/unstorable-text'
import { v7 as uuidv7 } from 'uuid'
import type { z } from 'zod'
import { type EventRow, insertEvent, type WrittenEvent } from './event-row.ts'
import { grantLease, handOverAtCommit, leasingCommits } from './hand-over.ts'

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
export const payloadBytesMax = 1024 * 1024

export interface Emission<D extends EventDefinitions, T extends keyof D & string> {
  readonly type: T
  readonly tenantId: string
  /** null for an event with the scope `tenant`. */
  readonly businessUnitId: string | null
  readonly traceId: string
  readonly payload: z.input<D[T]['payload']>
}

/** The event does not match its definition: a bug. The message names no value of the event. */
export class EventRejected extends Error {
  override readonly name = 'EventRejected'
}

/**
 * The payload as JSON text. For a verb that proves before an effect outside of the database that its event can be
 * written. Throws EventRejected.
 */
export function encodeEvent<D extends EventDefinitions, T extends keyof D & string>(
  definitions: D,
  { type, businessUnitId, payload }: Pick<Emission<D, T>, 'type' | 'businessUnitId' | 'payload'>,
): string {
  const definition = Object.hasOwn(definitions, type) ? definitions[type] : undefined
  if (definition === undefined) throw new EventRejected(`event type ${type} is not defined`)
  if ((definition.scope === 'business_unit') !== (businessUnitId !== null)) {
    throw new EventRejected(`event ${type} has scope ${definition.scope} and business unit ${businessUnitId}`)
  }
  const { success, data, error } = definition.payload.safeParse(payload)
  if (!success) throw new EventRejected(`event ${type} has a payload of another shape: ${listPaths(error)}`)
  const encoded = JSON.stringify(data)
  if (Buffer.byteLength(encoded) > payloadBytesMax) {
    throw new EventRejected(`event ${type} has a payload of more than ${payloadBytesMax} bytes`)
  }
  if (hasUnstorableText(encoded)) throw new EventRejected(`event ${type} has text that PostgreSQL cannot store`)
  return encoded
}

const pathsMax = 5

function listPaths({ issues }: z.ZodError): string {
  return issues
    .slice(0, pathsMax)
    .map(({ path, code }) => `${path.map(String).join('.')} ${code}`)
    .join(', ')
}

/**
 * The row of an event, for a statement that contains `insertEvent`. `commits`: those whose relay takes the event;
 * undefined for no lease. The verb hands the event over: `handOver` after a statement that was its own transaction,
 * `handOverAtCommit` within a transaction. Throws EventRejected.
 */
export function eventRow<D extends EventDefinitions, T extends keyof D & string>(
  commits: Commits | undefined,
  definitions: D,
  emission: Emission<D, T>,
): EventRow {
  const { type, tenantId, businessUnitId, traceId } = emission
  const payload = encodeEvent(definitions, emission)
  const row = { id: uuidv7(), type, tenantId, businessUnitId, traceId, payload, traceparent: activeTraceparent() }
  const bytes = Buffer.byteLength(payload)
  return { ...row, lease: commits === undefined ? undefined : grantLease(commits, { tenantId, bytes }) }
}

/**
 * Writes an event to the outbox in the transaction that makes it true: the event is published if, and only if, `tx`
 * commits. Returns its id (UUID v7), which receivers see as `tenant_event_id`. Throws EventRejected; the transaction
 * rolls back.
 */
export async function emit<D extends EventDefinitions, T extends keyof D & string>(
  tx: SqlTx,
  definitions: D,
  emission: Emission<D, T>,
): Promise<string> {
  const event = eventRow(leasingCommits(tx), definitions, emission)
  const { text, values } = insertEvent(event)
  const [written] = await tx.$queryRawUnsafe<[WrittenEvent]>(text, ...values)
  handOverAtCommit(tx, event, written)
  return event.id
}

import type { Database } from '@payments/chassis/database/database'
import { runDueBatches } from '@payments/chassis/database/due-batches'
import { purgeRows } from '@payments/chassis/database/purges'
import type { SqlTx, Transactions } from '@payments/chassis/database/transaction'
import { createTurns, type Turns } from '@payments/chassis/database/turns'
import type { Log } from '@payments/chassis/observability/log'
import { every, type Scheduled } from '@payments/chassis/process/schedule'
import { whenDue } from '@payments/chassis/process/when-due'
import { erasureRequestPatterns } from '@payments/contracts/edges/event-patterns'
import type { ConsumingService } from '@payments/contracts/endpoints/quarantine'
import type { EventDefinitions, EventMessage } from '@payments/contracts/grammar/event'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import {
  type ErasingService,
  type ErasureReport,
  erasureReportType,
  erasureRequest,
  normalizeAddress,
} from '@payments/contracts/nouns/payer-erasure'
import type { Consumer } from '@payments/messaging/consume/consume'
import {
  consumeEvents,
  type EventConsumerDeps,
  type EventConsumerParts,
  type EventQueue,
  eventConsumerOptions,
} from '@payments/messaging/consume/consume-events'
import { emit } from '@payments/messaging/outbox/outbox'
import { addressHashes, type PayerHashKeys } from './hashes.ts'

/**
 * **What it does.** Erases payers from the database of a service.
 *
 * **Participants.** The event of communication, and the report to it; `payer_erasures`, the work and the memory of it.
 *
 * **Guarantees.**
 * 1. Resources that were created more than 30 seconds after the request stay, however late it arrives. The work begins
 *    a minute after the request, when each earlier request has ended: one pass finds all.
 * 2. While the row exists, a keyed hash recognizes the payer: what arrives late creates nothing.
 * 3. A batch and its position, or the report, are one transaction: a killed process repeats nothing.
 * 4. Tenants take turns of a batch. A failed one is due again later.
 *
 * **Not guaranteed.** Copies: they expire (docs/personal-data.md).
 */
export interface PayerEraser<Tx extends SqlTx> {
  readonly service: ErasingService
  /** The `internalEvents` of the contract. */
  readonly events: EventDefinitions
  readonly eraseBatch: (tx: Tx, erasure: ErasureRow) => Promise<ErasedBatch>
}

interface ErasedBatch {
  /** Number of resources that lost the payer. */
  readonly resources: number
  /** Where the next batch continues. Null: there is none. */
  readonly position: string | null
}

/**
 * Identical in each schema.prisma. The table has row-level security, and beside it is the SQL function `payer_address`,
 * which is `normalizeAddress` of the contract.
 */
export const payerErasureModel = `model PayerErasure {
  id          String    @id @db.Uuid
  tenantId    String    @map("tenant_id") @db.Uuid
  traceId     String    @map("trace_id") @db.Uuid
  /// Null once the payer is erased.
  address     String?
  /// Null in a service that creates nothing from late events.
  addressHash Bytes?    @map("address_hash")
  /// By the clock of communication.
  requestedAt DateTime  @map("requested_at") @db.Timestamptz(3)
  /// Where the next batch continues.
  position    String?   @db.Uuid
  /// Resources that lost the payer.
  resources   Int       @default(0)
  failures    Int       @default(0)
  /// Null once the payer is erased.
  dueAt       DateTime? @map("due_at") @db.Timestamptz(3)
  createdAt   DateTime  @default(now()) @map("created_at") @db.Timestamptz(3)

  @@index([tenantId, dueAt])
  @@index([tenantId, addressHash])
  @@index([createdAt])
  @@map("payer_erasures")
}`

export interface Erasure {
  readonly id: string
  readonly tenantId: string
  readonly traceId: string
  /** `normalizeAddress` the recipient. */
  readonly address: string
  readonly requestedAt: Date
}

interface ErasureRow extends Pick<Erasure, 'id' | 'tenantId' | 'traceId' | 'address'> {
  readonly position: string | null
  /** Resources that were created later are new data. */
  readonly createdUntil: Date
}

/** Longer than a request lasts that the tenant sent before the erasure. */
const requestSeconds = 30
/** Until then, the transaction of such a request has ended too. */
const delaySeconds = 60

/** Does nothing for an erasure that is in progress. One that has ended begins again. */
export async function storeErasure(
  tx: SqlTx,
  hashKeys: PayerHashKeys | null,
  { id, tenantId, traceId, address, requestedAt }: Erasure,
): Promise<void> {
  await tx.$executeRawUnsafe(
    `INSERT INTO payer_erasures AS e (id, tenant_id, trace_id, address, address_hash, requested_at, due_at)
     VALUES ($1::uuid, $2::uuid, $3::uuid, $4, $5::bytea, $6::timestamptz, $6::timestamptz + $7::int * interval '1 second')
     ON CONFLICT (id) DO UPDATE SET address = excluded.address, due_at = excluded.due_at
       WHERE e.tenant_id = excluded.tenant_id AND e.due_at IS NULL`,
    id,
    tenantId,
    traceId,
    address,
    hashKeys === null ? null : addressHashes(hashKeys, tenantId, address)[0],
    requestedAt,
    delaySeconds,
  )
}

/** Whether an erasure of the last 90 days is of the recipient and of resources of this time. */
export async function isErased(
  tx: SqlTx,
  hashKeys: PayerHashKeys,
  { tenantId, recipient, createdAt }: { tenantId: string; recipient: string; createdAt: Date },
): Promise<boolean> {
  const found = await tx.$queryRawUnsafe<unknown[]>(
    `SELECT 1 FROM payer_erasures WHERE tenant_id = $1::uuid AND address_hash = ANY($2::bytea[])
       AND requested_at + $3::int * interval '1 second' >= $4::timestamptz LIMIT 1`,
    tenantId,
    addressHashes(hashKeys, tenantId, normalizeAddress(recipient)),
    requestSeconds,
    createdAt,
  )
  return found.length > 0
}

/** Deletes erasures that ended, and came more than 90 days ago: no old event is on its way. */
export const purgeErasures = purgeRows(
  'payer_erasures',
  'id',
  "created_at < now() - interval '90 days' AND due_at IS NULL",
)

/** The queue of the requests to erase payers. */
export const erasureRequestQueue = (service: ConsumingService): EventQueue => ({
  service,
  name: `${service}.payer-erasures`,
  patterns: erasureRequestPatterns,
})

interface AcceptDeps<Tx extends SqlTx> {
  readonly db: Transactions<Tx>
  /** Null: the service creates nothing from late events. */
  readonly payerHashKeys: PayerHashKeys | null
}

/** Stores each request to erase a payer. */
export function consumeErasureRequests<Tx extends SqlTx>(
  service: ConsumingService,
  deps: EventConsumerDeps & AcceptDeps<Tx>,
  parts: EventConsumerParts,
): Consumer<EventMessage> {
  const options = eventConsumerOptions(deps, parts)
  return consumeEvents(erasureRequestQueue(service), options, (event) => acceptErasure(deps, event))
}

/** Throws invalid_request for another payload. */
export async function acceptErasure<Tx extends SqlTx>(
  { db, payerHashKeys }: AcceptDeps<Tx>,
  { tenant_id: tenantId, trace_id: traceId, payload }: Pick<EventMessage, 'tenant_id' | 'trace_id' | 'payload'>,
): Promise<void> {
  const parsed = erasureRequest.safeParse(payload)
  // The cause has no value of the payload: the address is in no log.
  if (!parsed.success) throw new Problem(commonProblems.invalid_request, { detail: 'The request has another payload' })
  const { erasure_id: id, recipient, requested_at } = parsed.data
  const erasure = { id, tenantId, traceId, address: normalizeAddress(recipient), requestedAt: new Date(requested_at) }
  await db.inTenant(tenantId, (tx) => storeErasure(tx, payerHashKeys, erasure))
}

interface ErasureDeps<Tx extends SqlTx> {
  readonly db: Pick<Transactions<Tx>, 'acrossTenants'>
  readonly log: Pick<Log, 'error'>
}

const purgeIntervalMs = 10 * 60_000

/** Erases payers while some are due, and deletes old erasures. */
export function startErasures<Tx extends SqlTx>(
  { db, log }: { readonly db: Database<Tx>; readonly log: Log },
  eraser: PayerEraser<Tx>,
): Scheduled[] {
  const turns = erasureTurns()
  const nextDue = () => turns.nextDue(db.crossTenant)
  return [
    whenDue({ name: 'erase-payers', nextDue, signals: db.commits, log }, () => erasePayers({ db, log }, turns, eraser)),
    every(purgeIntervalMs, 'purge-payer-erasures', log, () => db.acrossTenants((tx) => purgeErasures(tx))),
  ]
}

export const erasureTurns = (): Turns => createTurns('payer_erasures')

export function erasePayers<Tx extends SqlTx>(
  deps: ErasureDeps<Tx>,
  turns: Turns,
  eraser: PayerEraser<Tx>,
): Promise<void> {
  const runBatch = async (tx: Tx, id: string) => eraseBatch(tx, eraser, await readErasure(tx, id))
  return runDueBatches(deps, { table: 'payer_erasures', turns, runBatch })
}

async function readErasure(tx: SqlTx, id: string): Promise<ErasureRow> {
  const [row] = await tx.$queryRawUnsafe<[ErasureRow]>(
    `SELECT id::text, tenant_id::text AS "tenantId", trace_id::text AS "traceId", address, position::text,
       requested_at + $2::int * interval '1 second' AS "createdUntil" FROM payer_erasures WHERE id = $1::uuid`,
    id,
    requestSeconds,
  )
  return row
}

async function eraseBatch<Tx extends SqlTx>(
  tx: Tx,
  { service, events, eraseBatch: erase }: PayerEraser<Tx>,
  erasure: ErasureRow,
): Promise<void> {
  const { id, tenantId, traceId } = erasure
  const batch = await erase(tx, erasure)
  const resources = await recordBatch(tx, erasure, batch)
  if (batch.position !== null) return
  const payload: ErasureReport = { erasure_id: id, service, resources }
  await emit(tx, events, { type: erasureReportType(service), tenantId, businessUnitId: null, traceId, payload })
}

/** Returns the number of erased resources of all batches. */
async function recordBatch(
  tx: SqlTx,
  { id, tenantId }: Pick<Erasure, 'id' | 'tenantId'>,
  { resources, position }: ErasedBatch,
): Promise<number> {
  const [row] = await tx.$queryRawUnsafe<[{ resources: number }]>(
    `UPDATE payer_erasures SET resources = resources + $3::int, position = $4::uuid, failures = 0,
       address = CASE WHEN $4::uuid IS NOT NULL THEN address END, due_at = CASE WHEN $4::uuid IS NOT NULL THEN due_at END
     WHERE tenant_id = $1::uuid AND id = $2::uuid RETURNING resources`,
    tenantId,
    id,
    resources,
    position,
  )
  return row.resources
}

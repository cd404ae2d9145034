import { runDueBatches } from '@payments/chassis/database/due-batches'
import type { SqlTx, Transactions } from '@payments/chassis/database/transaction'
import { createTurns, type Turns } from '@payments/chassis/database/turns'
import type { Log } from '@payments/chassis/observability/log'
import type { EventDefinitions } from '@payments/contracts/grammar/event'
import { type ErasingService, type ErasureReport, reportTypeOf } from '@payments/contracts/nouns/payer-erasure'
import { emit } from '@payments/messaging/outbox/outbox'
import { type Batch, eraseFromOutbox, eraseFromReplies } from './copies.ts'
import { endErasure } from './erased-payers.ts'
import { continueErasure, type ErasureRow, readErasure } from './erasure-row.ts'
import type { PayerHashKeys } from './hash-keys.ts'

/** Erases one batch of rows of the erasure's tenant and payer, in the transaction. At most 200 resources. */
export type ErasureStep<Tx> = (tx: Tx, erasure: ErasureRow) => Promise<Batch>

export interface ErasureJob<Tx extends SqlTx> {
  readonly service: ErasingService
  /** The `internalEvents` of the contract. */
  readonly events: EventDefinitions
  /** The tables of the service. Those of every service follow: the outbox, and stored responses. */
  readonly steps: readonly ErasureStep<Tx>[]
}

/** Longer than any request, and any message between services that is in progress, lasts. */
const secondPassMs = 15 * 60_000
const passes = 2

export interface ErasureDeps<Tx extends SqlTx> {
  readonly db: Transactions<Tx>
  readonly log: Pick<Log, 'error'>
  /** Null: the service creates nothing from late events, and need not recognize erased payers. */
  readonly payerHashKeys: PayerHashKeys | null
}

export const erasureTurns = (): Turns => createTurns('payer_erasures')

/**
 * **What it does.** Erases the personal data of payers from the database of a service, batch by batch.
 *
 * **Participants.** `payer_erasures`, the work; webhooks and communication, which get a report of each batch.
 *
 * **Guarantees.**
 * 1. A batch, its report and the position are one transaction: a killed process repeats nothing and omits nothing.
 * 2. Resources that were created more than 30 seconds after the request stay, however late it arrives.
 * 3. Tenants take turns of one batch. An erasure that fails is due again later, and delays no other one.
 * 4. A second pass, 15 minutes later, erases what requests and messages in progress stored. Then a keyed hash replaces
 *    the address for 90 days (`erased-payers.ts`).
 */
export async function runErasures<Tx extends SqlTx>(
  deps: ErasureDeps<Tx>,
  turns: Turns,
  job: ErasureJob<Tx>,
): Promise<void> {
  await runDueBatches(deps, {
    table: 'payer_erasures',
    turns,
    runBatch: async (tx: Tx, id) => runBatch(tx, job, await readErasure(tx, id), deps.payerHashKeys),
  })
}

async function runBatch<Tx extends SqlTx>(
  tx: Tx,
  job: ErasureJob<Tx>,
  erasure: ErasureRow,
  hashKeys: PayerHashKeys | null,
): Promise<void> {
  const steps: readonly ErasureStep<Tx>[] = [...job.steps, eraseFromOutbox, eraseFromReplies]
  const { pass, step } = erasure
  const batch: Batch = (await steps[step]?.(tx, erasure)) ?? { resourceIds: [], position: null }
  const { resourceIds, versionsBelow = null, position } = batch
  const isLastStep = position === null && step + 1 >= steps.length
  const isLast = isLastStep && pass === 1
  if (resourceIds.length > 0 || isLast) {
    await report(tx, job, erasure, {
      resource_ids: [...resourceIds],
      versions_below: versionsBelow,
      is_last: isLast,
    })
  }
  if (position !== null) return continueErasure(tx, { ...erasure, position }, 0)
  if (!isLastStep) return continueErasure(tx, { ...erasure, step: step + 1, position }, 0)
  if (pass === passes) return endErasure(tx, hashKeys, erasure)
  return continueErasure(tx, { ...erasure, pass: pass + 1, step: 0, position }, secondPassMs)
}

async function report<Tx extends SqlTx>(
  tx: Tx,
  { service, events }: ErasureJob<Tx>,
  { id, tenantId, traceId }: ErasureRow,
  found: Omit<ErasureReport, 'erasure_id' | 'service'>,
): Promise<void> {
  const payload: ErasureReport = { erasure_id: id, service, ...found }
  await emit(tx, events, { type: reportTypeOf(service), tenantId, businessUnitId: null, traceId, payload })
}

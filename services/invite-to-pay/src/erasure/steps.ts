import { inviteToPay } from '@payments/contracts/services/invite-to-pay/contract'
import type { RetainedRows } from '@payments/payer-erasure/retention'
import type { ErasureJob, ErasureStep } from '@payments/payer-erasure/run-erasures'
import { emitCode } from '../code/emit-code.ts'
import { allows, columnsAfter } from '../domain/code-state.ts'
import { change } from '../store/codes.ts'
import type { Tx } from '../store/database.ts'
import { eraseCodes, eraseCorrected, hasPayer, redactCodes } from '../store/payers.ts'

const rowsMax = 200

/**
 * Erases the codes of the payer. A code that can still be paid is canceled, with its event. A payment in progress ends
 * as it does, without a receipt: when it fails, its code is canceled (`settle`).
 */
const erase: ErasureStep<Tx> = async (tx, erasure) => {
  const { tenantId, traceId } = erasure
  const { codes, position } = await eraseCodes(tx, { ...erasure, limit: rowsMax })
  for (const { id } of codes.filter(({ status }) => allows(status, 'cancelByRequest'))) {
    const canceled = await change(tx, tenantId, id, columnsAfter('cancelByRequest'))
    await emitCode(tx, 'invite-to-pay.codes.cancel', canceled, traceId)
  }
  return { resourceIds: codes.map(({ id }) => id), position }
}

/** The copies of events from before the tenant corrected the address of a code, one code in each batch. */
const eraseFromEarlierEvents: ErasureStep<Tx> = async (tx, erasure) => {
  const code = await eraseCorrected(tx, erasure)
  if (code === null) return { resourceIds: [], position: null }
  return { resourceIds: [code.id], versionsBelow: code.version, position: 'more' }
}

export const erasureJob: ErasureJob<Tx> = {
  service: 'invite-to-pay',
  events: inviteToPay.internalEvents,
  steps: [erase, eraseFromEarlierEvents],
}

/** Ended codes, by their last change. */
export const retainedCodes: RetainedRows<Tx> = {
  table: 'codes',
  condition: hasPayer,
  column: 'updated_at',
  redact: redactCodes,
}

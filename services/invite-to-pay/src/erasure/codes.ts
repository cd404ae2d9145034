import { inviteToPay } from '@payments/contracts/services/invite-to-pay/contract'
import type { PayerEraser } from '@payments/service/payers/erasures'
import type { RetainedRows } from '@payments/service/payers/retention'
import { changeCode } from '../code/change-code.ts'
import { allows, columnsAfter } from '../domain/code-state.ts'
import type { Tx } from '../store/database.ts'
import { eraseCodes, hasPayer, redactCodes } from '../store/payers.ts'

const rowsMax = 200

/**
 * Erases the codes of the payer. A code that can still be paid is canceled, with its event. A payment in progress ends
 * as it does, without a receipt: when it fails, its code is canceled (`settle`).
 */
export const codeEraser: PayerEraser<Tx> = {
  service: 'invite-to-pay',
  events: inviteToPay.internalEvents,
  eraseBatch: async (tx, erasure) => {
    const { traceId } = erasure
    const { codes, position } = await eraseCodes(tx, { ...erasure, limit: rowsMax })
    const open = codes.filter(({ status }) => allows(status, 'cancelByRequest'))
    for (const code of open) await changeCode(tx, code, columnsAfter('cancelByRequest'), traceId)
    return { resources: codes.length, position }
  },
}

/** Ended codes, by their last change. */
export const retainedCodes: RetainedRows<Tx> = {
  table: 'codes',
  condition: hasPayer,
  column: 'updated_at',
  redact: redactCodes,
}

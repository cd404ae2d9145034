import { newId } from '@payments/chassis/base/id'
import type { CodeFacts } from '../domain/code.ts'
import type { Settlement } from '../domain/settle.ts'
import * as codes from '../store/codes.ts'
import type { Tx } from '../store/database.ts'
import { insertMessage } from '../store/messages.ts'
import { emitCode } from './emit-code.ts'

/** Records a settlement with its event, and with the receipt of a payment. `tx` holds the lock of the code. */
export async function recordSettlement(
  tx: Tx,
  { tenantId, id }: CodeFacts,
  { transition, columns }: Settlement,
  traceId: string,
): Promise<void> {
  const code = await codes.change(tx, tenantId, id, columns)
  const isCanceled = code.status === 'canceled'
  await emitCode(tx, isCanceled ? 'invite-to-pay.codes.cancel' : 'invite-to-pay.codes.update', code, traceId)
  if (transition === 'complete')
    await insertMessage(tx, tenantId, { id: newId(), codeId: id, kind: 'receipt', traceId })
}

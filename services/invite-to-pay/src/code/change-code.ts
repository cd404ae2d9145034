import { newId } from '@payments/chassis/base/id'
import { inviteToPay } from '@payments/contracts/services/invite-to-pay/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import { type CodeFacts, presentSnapshot } from '../domain/code.ts'
import type { Settlement } from '../domain/settle.ts'
import { type CodeChange, change } from '../store/codes.ts'
import type { Tx } from '../store/database.ts'
import { insertMessage } from '../store/messages.ts'

type CodeEvent = keyof typeof inviteToPay.events

/** Writes an event of the code as it is now. Events have no link. */
export async function emitCode(tx: Tx, type: CodeEvent, code: CodeFacts, traceId: string): Promise<void> {
  const { tenantId, businessUnitId, version } = code
  const payload = { code: presentSnapshot(code), version }
  await emit(tx, inviteToPay.events, { type, tenantId, businessUnitId, traceId, payload })
}

/** Changes a code, with its event: a cancelation or an update. `tx` holds the lock of the code. */
export async function changeCode(
  tx: Tx,
  { tenantId, id }: Pick<CodeFacts, 'tenantId' | 'id'>,
  changes: CodeChange,
  traceId: string,
): Promise<CodeFacts> {
  const code = await change(tx, tenantId, id, changes)
  await emitCode(tx, `invite-to-pay.codes.${changes.status === 'canceled' ? 'cancel' : 'update'}`, code, traceId)
  return code
}

/** Records a settlement with its event, and with the receipt of a payment. `tx` holds the lock of the code. */
export async function recordSettlement(
  tx: Tx,
  code: CodeFacts,
  { transition, columns }: Settlement,
  traceId: string,
): Promise<void> {
  const { tenantId, id: codeId } = code
  await changeCode(tx, code, columns, traceId)
  if (transition === 'complete') await insertMessage(tx, tenantId, { id: newId(), codeId, kind: 'receipt', traceId })
}

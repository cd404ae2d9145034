import { inviteToPay } from '@payments/contracts/services/invite-to-pay/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import { type CodeFacts, presentSnapshot } from '../domain/code.ts'
import type { Tx } from '../store/database.ts'

/** Writes an event of the code as it is now. Events have no link. */
export async function emitCode(
  tx: Tx,
  type: keyof typeof inviteToPay.events,
  code: CodeFacts,
  traceId: string,
): Promise<void> {
  const { tenantId, businessUnitId, version } = code
  const payload = { code: presentSnapshot(code), version }
  await emit(tx, inviteToPay.events, { type, tenantId, businessUnitId, traceId, payload })
}

import type { ServiceCaller } from '@payments/chassis/base/caller'
import { loopShare } from '@payments/chassis/base/loop-share'
import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { requireActive } from '@payments/contracts/services/business-unit/unit-copy'
import type { Communication } from '@payments/contracts/services/communication/contract'
import { isErased } from '@payments/service/payers/erasures'
import { enqueue } from '../delivery/enqueue.ts'
import type { Deps } from '../deps.ts'
import { isReceipt } from '../domain/built-in-content.ts'
import { builtInTemplate } from '../domain/built-in-templates.ts'
import { type Draft, presentCommunication, requireUsableDraft } from '../domain/communication.ts'
import { findCommunication } from '../store/communications.ts'

interface QueuedMessage {
  readonly tenantId: string
  readonly messageId: string
  readonly businessUnitId: string
  /** When the tenant sent what the message follows from: an invitation, or a code. */
  readonly sentAt: Date
  readonly draft: Draft
}

/**
 * Queues a message for another process. `messageId` becomes the id of the communication: a repeated call gets the
 * communication of the first call, whatever else it says. Variables that the template does not declare are dropped: the
 * caller has the same variables for every template.
 * A message that began before its recipient was erased is rejected.
 * Throws invalid_request, business_unit_not_found, business_unit_deleted, template_unusable, rate_limited,
 * service_unavailable.
 */
export async function queueCommunication(
  deps: Deps,
  { traceId }: ServiceCaller,
  { tenantId, messageId: id, businessUnitId, sentAt, draft }: QueuedMessage,
): Promise<Communication> {
  const earlier = await deps.db.readInTenant(tenantId, (tx) => findCommunication(tx, tenantId, id))
  if (earlier !== null) return presentCommunication(earlier)
  await loopShare.run(tenantId, () => requireUsableDraft(draft))
  const purpose = isReceipt(builtInTemplate(draft.templateId ?? '')?.name) ? 'receipt' : 'payer_invitation'
  const copy = await deps.businessUnits.find({ tenantId, traceId }, businessUnitId)
  // A payer who has paid gets the receipt, whatever becomes of the business unit.
  if (purpose !== 'receipt') requireActive(copy)
  const { businessUnit: unit } = copy
  const communication = await deps.db.inTenant(tenantId, async (tx) => {
    await lockForTransaction(tx, `message ${id} of ${tenantId}`)
    const stored = await findCommunication(tx, tenantId, id)
    if (stored !== null) return stored
    if (await isErased(tx, deps.payerHashKeys, { tenantId, recipient: draft.recipient, createdAt: sentAt }))
      throw new Problem(commonProblems.invalid_request, { detail: 'The recipient was erased after this message began' })
    return enqueue(tx, deps, { id, tenantId, traceId, unit, draft, undeclared: 'drop', purpose, sender: null })
  })
  deps.delivery.wake()
  return presentCommunication(communication)
}

import { actorName, type Caller } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { loopShare } from '@payments/chassis/base/loop-share'
import { once } from '@payments/chassis/request/idempotency'
import { requireActive } from '@payments/contracts/services/business-unit/unit-copy'
import type { Communication } from '@payments/contracts/services/communication/contract'
import { enqueue } from '../delivery/enqueue.ts'
import type { Deps } from '../deps.ts'
import { type Draft, presentCommunication, requireUsableDraft } from '../domain/communication.ts'

/**
 * Queues the rendered message. The delivery loop sends it after the commit.
 * Throws invalid_request, business_unit_not_found, business_unit_deleted, template_unusable, rate_limited,
 * service_unavailable.
 */
export async function sendCommunication(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  draft: Draft,
): Promise<Communication> {
  const { tenantId, traceId } = caller
  await loopShare.run(tenantId, () => requireUsableDraft(draft))
  const copy = await deps.businessUnits.find(caller, businessUnitId)
  const communication = await once(deps.db, caller, async (tx) => {
    requireActive(copy)
    const sender = actorName(caller.actor)
    const message = { id: newId(), tenantId, traceId, unit: copy.businessUnit, draft, sender }
    return presentCommunication(await enqueue(tx, deps, { ...message, undeclared: 'reject', purpose: 'caller' }))
  })
  deps.delivery.wake()
  return communication
}

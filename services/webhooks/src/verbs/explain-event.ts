import type { CallerWith } from '@payments/chassis/base/caller'
import { missingPayloadPermission } from '@payments/contracts/edges/payload-permissions'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import type { Explanation } from '@payments/contracts/services/webhooks/delivery'
import type { PayloadPermission } from '@payments/contracts/services/webhooks/payload'
import type { Deps } from '../deps.ts'
import { listPatterns } from '../domain/event-type.ts'
import { explain } from '../domain/explain.ts'
import { findEvent, listSubscriptionsOfEvent } from '../store/events.ts'

/** Throws event_not_found. */
export function explainEvent(
  deps: Deps,
  { tenantId, permissions }: CallerWith<PayloadPermission>,
  businessUnitId: string,
  tenantEventId: string,
): Promise<Explanation> {
  return deps.db.readInTenant(tenantId, async (tx) => {
    const event = await findEvent(tx, tenantId, businessUnitId, tenantEventId)
    if (event === null) throw new Problem(problems.event_not_found)
    const query = { ...event, patterns: listPatterns(event.type) }
    const subscriptions = await listSubscriptionsOfEvent(tx, tenantId, businessUnitId, query)
    return explain(event, subscriptions, missingPayloadPermission(event.type, permissions))
  })
}

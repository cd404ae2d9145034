import type { ServiceCaller } from '@payments/chassis/base/caller'
import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import { countAgainstRates } from '../delivery/rates.ts'
import type { Deps } from '../deps.ts'
import { renderUserInvitation, type UserInvitation } from '../domain/user-invitation.ts'
import { hasMail, insertMail } from '../store/user-invitation-mails.ts'

interface QueuedInvitation extends UserInvitation {
  readonly tenantId: string
  readonly messageId: string
  readonly recipient: string
}

/**
 * Queues the mail of a user invitation on behalf of the tenant, whose rates it counts against. A repeated call with
 * `messageId` changes nothing. Throws invalid_request, rate_limited.
 */
export async function queueUserInvitation(
  deps: Deps,
  { traceId }: ServiceCaller,
  { tenantId, messageId: id, recipient, ...invitation }: QueuedInvitation,
): Promise<{ id: string }> {
  const content = renderUserInvitation(invitation)
  await deps.db.inTenant(tenantId, async (tx) => {
    await lockForTransaction(tx, `message ${id} of ${tenantId}`)
    if (await hasMail(tx, tenantId, id)) return
    await countAgainstRates(tx, deps, tenantId, { recipient, purpose: 'user_invitation', sender: null })
    const provider = deps.providers.EMAIL.name
    await insertMail(tx, tenantId, { id, recipient, provider, traceId, content, dueAt: deps.now() })
  })
  deps.delivery.wake()
  return { id }
}

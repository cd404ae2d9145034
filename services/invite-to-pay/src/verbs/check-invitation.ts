import type { ServiceCaller } from '@payments/chassis/base/caller'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import type { inviteToPay } from '@payments/contracts/services/invite-to-pay/contract'
import { requirePage, requireTemplate } from '../code/check-invitation.ts'
import type { Deps } from '../deps.ts'
import { requireLifetime } from '../domain/lifetime.ts'

type Checked = RequestOf<typeof inviteToPay.endpoints.checkInvitation>['body']

/**
 * Checks an invitation before payment-proxy stores a transaction with it. Pointers name the field `invitation`.
 * Throws invalid_request, business_unit_not_found, business_unit_deleted, template_unusable,
 * payment_orchestrator_without_page, service_unavailable.
 */
export async function checkInvitation(
  deps: Pick<Deps, 'businessUnits' | 'communication' | 'payBaseUrl' | 'cardPageOrigin'>,
  { traceId }: ServiceCaller,
  tenantId: string,
  {
    business_unit_id: businessUnitId,
    payment_orchestrator_id: orchestratorId,
    invitation,
    transaction_locale,
  }: Checked,
): Promise<undefined> {
  const pointer = '/invitation'
  const now = new Date()
  const wanted = { expiresAt: invitation.expires_at ?? null, reminderAt: invitation.reminder_at ?? null }
  requireLifetime(wanted, { createdAt: now, now, pointer, changed: { expiresAt: true, reminderAt: true } })
  const context = { tenantId, traceId }
  requirePage(deps, await deps.businessUnits.requireActive(context, businessUnitId), orchestratorId)
  const { communication_type: communicationType, template_id: templateId = null } = invitation
  const communicationDetails = invitation.communication_details ?? {}
  const locale = invitation.locale ?? transaction_locale ?? null
  const texts = { businessUnitId, communicationType, templateId, communicationDetails, locale }
  await requireTemplate(deps, context, texts, pointer)
}

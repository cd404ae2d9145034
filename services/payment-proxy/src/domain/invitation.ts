import type { Invitation, InvitationInput } from '@payments/contracts/nouns/invitation'

export function invitationFrom(given: InvitationInput): Invitation {
  return {
    communication_type: given.communication_type,
    recipient: given.recipient,
    template_id: given.template_id ?? null,
    communication_details: given.communication_details ?? {},
    expires_at: given.expires_at?.toISOString() ?? null,
    reminder_at: given.reminder_at?.toISOString() ?? null,
    return_url: given.return_url ?? null,
    locale: given.locale ?? null,
  }
}

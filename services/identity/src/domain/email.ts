import { emailAddressKey } from '@payments/contracts/grammar/email-address'

/** Whether an invitation is for the address. That of an erased person is for none. */
export const isInvited = (invitation: { readonly email: string | null }, email: string | null): boolean =>
  invitation.email !== null && email !== null && emailAddressKey(invitation.email) === emailAddressKey(email)

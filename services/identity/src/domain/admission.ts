import { emailAddressKey, emailDomainKey } from '@payments/contracts/grammar/email-address'

/** The rules of sign-in providers and memberships: which person may enter which tenant. */

export interface ProviderRules {
  readonly id: string
  /** Tenants that the provider may sign people in to. */
  readonly tenants: '*' | ReadonlySet<string>
  /** Domains of accepted email addresses, as `emailDomainKey` returns them; undefined accepts all. */
  readonly emailDomains: ReadonlySet<string> | undefined
  readonly membership: 'invited' | 'claims'
}

export const mayEnter = ({ tenants }: Pick<ProviderRules, 'tenants'>, tenantId: string): boolean =>
  tenants === '*' || tenants.has(tenantId)

/**
 * Whether a session of the provider may be in the tenant of a membership. A membership that a provider gave follows the
 * claims of that provider, so no other provider leads to it.
 */
export const mayUseMembership = (
  provider: Pick<ProviderRules, 'id' | 'tenants'>,
  { tenantId, providerId }: { readonly tenantId: string; readonly providerId: string | null },
): boolean => mayEnter(provider, tenantId) && (providerId === null || providerId === provider.id)

/** Without `emailDomains`, each person fits, also one without an address. */
export function fitsDomains({ emailDomains }: Pick<ProviderRules, 'emailDomains'>, email: string | null): boolean {
  if (emailDomains === undefined) return true
  return email !== null && emailDomains.has(emailDomainKey(email.slice(email.lastIndexOf('@') + 1)))
}

/** Whether an invitation is for the address. The invitation of an erased person is for none. */
export const isInvited = (invitation: { readonly email: string | null }, email: string | null): boolean =>
  invitation.email !== null && email !== null && emailAddressKey(invitation.email) === emailAddressKey(email)

/** Whether a person may accept an invitation at the provider. Where claims decide, an invitation has no effect. */
export const acceptsInvitation = (
  provider: ProviderRules,
  { tenantId, email }: { readonly tenantId: string; readonly email: string | null },
): boolean => provider.membership === 'invited' && mayEnter(provider, tenantId) && fitsDomains(provider, email)

interface Membership {
  readonly tenantId: string
  readonly enabled: boolean
  readonly lastSignedInAt: Date | null
}

/** The tenants of a person in the order in which a sign-in chooses one: the last one signed in to first. */
export function inOrderOfChoice<M extends Membership>(memberships: readonly M[]): M[] {
  const time = ({ lastSignedInAt }: Membership) => lastSignedInAt?.getTime() ?? 0
  return [...memberships].sort((one, other) => time(other) - time(one))
}

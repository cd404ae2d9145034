/** The rules of sign-in providers and memberships: which person may enter which tenant. */

export interface ProviderRules {
  readonly tenants: '*' | ReadonlySet<string>
  readonly emailDomains: ReadonlySet<string> | undefined
  readonly membership: 'invited' | 'claims'
}

export const mayEnter = ({ tenants }: Pick<ProviderRules, 'tenants'>, tenantId: string): boolean =>
  tenants === '*' || tenants.has(tenantId)

/** Without a rule, every address is accepted, and none. */
export function fitsDomains({ emailDomains }: Pick<ProviderRules, 'emailDomains'>, email: string | null): boolean {
  if (emailDomains === undefined) return true
  return email !== null && emailDomains.has(email.slice(email.lastIndexOf('@') + 1).toLowerCase())
}

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

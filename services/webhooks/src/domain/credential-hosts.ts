import { hostOfUrl } from '@payments/contracts/host'
import type { Permission } from '@payments/contracts/permission'
import { commonProblems, Problem } from '@payments/contracts/problem'

/**
 * Credentials of an auth info are sent to a host that the auth info names, or by a decision of a caller who may reveal them: a
 * caller who points them at a server of their own has revealed them. Each verb that could bring credentials to another host
 * calls one of these under the locks of the subscription and of the auth info.
 */
interface NamedHosts {
  readonly hosts: readonly string[]
}

interface Holder {
  readonly permissions: ReadonlySet<Permission>
}

/** Before credentials are sent to `url` for the first time. Throws permission_denied. */
export function refuseOtherHost(caller: Holder, authInfo: NamedHosts, url: string): void {
  if (!authInfo.hosts.includes(hostOfUrl(url))) requireReveal(caller, 'the host is not one of those it names')
}

/** Before `hosts` replace those of the auth info. To remove hosts sends nothing anywhere. Throws permission_denied. */
export function refuseAddedHosts(caller: Holder, authInfo: NamedHosts, hosts: readonly string[] | undefined): void {
  const added = (hosts ?? []).filter((host) => !authInfo.hosts.includes(host))
  if (added.length > 0) requireReveal(caller, 'hosts are added to those it names')
}

/**
 * Before a token is requested at `tokenUrl` in place of the present one. The client's credentials come with the change, but the
 * tokens of all subscriptions would from then on be issued by another server. Throws permission_denied.
 */
export function refuseOtherTokenHost(
  caller: Holder,
  authInfo: NamedHosts & { readonly configMasked: unknown },
  tokenUrl: string,
): void {
  const { token_url: present } = authInfo.configMasked as { token_url?: string }
  if (present !== undefined && new URL(present).host === new URL(tokenUrl).host) return
  refuseOtherHost(caller, authInfo, tokenUrl)
}

function requireReveal({ permissions }: Holder, why: string): void {
  if (permissions.has('webhook:RevealAuthInfo')) return
  const detail = `To send the credentials of the authentication configuration there needs webhook:RevealAuthInfo: ${why}`
  throw new Problem(commonProblems.permission_denied, { detail })
}

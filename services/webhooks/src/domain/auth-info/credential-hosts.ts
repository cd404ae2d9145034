import { readHostAndPort } from '@payments/contracts/grammar/host'
import type { HeldPermissions } from '@payments/contracts/grammar/permission'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'

/**
 * Credentials of an auth info may be sent to the hosts that the auth info names, each with its port: another port may
 * belong to another party. Another host needs a caller with the permission to reveal them: a caller who sends
 * credentials to a server of their own has revealed them. Each verb that can change the receiving host calls one of
 * these functions under the locks of the subscription and of the auth info.
 */
interface NamedHosts {
  readonly hosts: readonly string[]
}

interface PermissionHolder {
  readonly permissions: HeldPermissions<'webhook:RevealAuthInfo'>
}

/** Call before credentials are first sent to `url`. Throws permission_denied. */
export function requireNamedHost(caller: PermissionHolder, authInfo: NamedHosts, url: string): void {
  if (!authInfo.hosts.includes(readHostAndPort(url))) requireReveal(caller, 'the host is not among its hosts')
}

/** Call before `hosts` replace the hosts of the auth info. Hosts may be removed freely. Throws permission_denied. */
export function rejectAddedHosts(
  caller: PermissionHolder,
  authInfo: NamedHosts,
  hosts: readonly string[] | undefined,
): void {
  const added = (hosts ?? []).filter((host) => !authInfo.hosts.includes(host))
  if (added.length > 0) requireReveal(caller, 'the request adds hosts')
}

/**
 * Call before `tokenUrl` replaces the current token URL. The request contains the credentials of the client, but
 * another server would then issue the tokens of all subscriptions. Throws permission_denied.
 */
export function requireSameTokenHost(
  caller: PermissionHolder,
  authInfo: NamedHosts & { readonly configMasked: unknown },
  tokenUrl: string,
): void {
  const { token_url: current } = authInfo.configMasked as { token_url?: string }
  if (current !== undefined && readHostAndPort(current) === readHostAndPort(tokenUrl)) return
  requireNamedHost(caller, authInfo, tokenUrl)
}

function requireReveal({ permissions }: PermissionHolder, reason: string): void {
  if (permissions.has('webhook:RevealAuthInfo')) return
  const detail = `Sending the credentials to another host requires webhook:RevealAuthInfo: ${reason}`
  throw new Problem(commonProblems.permission_denied, { detail })
}

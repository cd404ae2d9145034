import { BlockList, isIPv6 } from 'node:net'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { AuthenticatedContext } from './request-context.ts'

type Authorized = Pick<AuthenticatedContext, 'route' | 'principal' | 'address'>

/**
 * Requires an active tenant, an allowed address, the permission of the endpoint, and for a session at a sensitive
 * endpoint a recent sign-in. An endpoint without a permission is closed, unless its contract opens it to every valid
 * credential. Throws tenant_suspended, address_not_allowed, permission_denied, and then step_up_required.
 */
export function authorize({ route, principal, address }: Authorized): void {
  if (principal.tenantStatus !== 'active') {
    throw new Problem(commonProblems.tenant_suspended, { detail: 'The tenant of this credential is suspended' })
  }
  if (principal.allowedCidrs !== null && !isWithin(principal.allowedCidrs, address)) {
    const detail = 'The allowed_cidrs of the API key do not contain the address of the caller'
    throw new Problem(commonProblems.address_not_allowed, { detail })
  }
  const { audience, permission, sensitive } = route.endpoint
  const isPermitted = permission !== undefined && principal.permissions.includes(permission)
  if (audience !== 'authenticated' && !isPermitted) {
    throw new Problem(commonProblems.permission_denied, { detail: `The operation requires ${permission}` })
  }
  if (sensitive === true) requireRecentSignIn(principal)
}

/** Seconds after a sign-in in which a session may use sensitive endpoints. */
export const signInAgeSecondsMax = 300

/** API keys and JWTs of other issuers have no sign-in. */
function requireRecentSignIn({ authenticatedAt }: Authorized['principal']): void {
  if (authenticatedAt === null || Date.now() - Date.parse(authenticatedAt) <= signInAgeSecondsMax * 1_000) return
  const detail = 'The operation requires a sign-in of the last five minutes: step up, then send the request again'
  throw new Problem(commonProblems.step_up_required, { detail })
}

function isWithin(cidrs: readonly string[], address: string): boolean {
  let list = lists.get(cidrs)
  if (list === undefined) {
    list = createLists(cidrs)
    lists.set(cidrs, list)
  }
  const family = readFamily(address)
  return list[family].check(address, family)
}

const readFamily = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

/** A list of each family: to a `BlockList`, `::/0` contains IPv4 addresses, as the IPv6 ones that embed them. */
type AddressLists = Readonly<Record<'ipv4' | 'ipv6', BlockList>>

/** The key cache returns the same array while a key is cached. An entry here lives as long as that array. */
const lists = new WeakMap<readonly string[], AddressLists>()

function createLists(cidrs: readonly string[]): AddressLists {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const cidr of cidrs) {
    const [network = '', prefix = ''] = cidr.split('/')
    const family = readFamily(network)
    lists[family].addSubnet(network, Number(prefix), family)
  }
  return lists
}

import { BlockList, isIPv6 } from 'node:net'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { AuthenticatedContext } from './request-context.ts'

type Authorized = Pick<AuthenticatedContext, 'route' | 'principal' | 'address'>

/**
 * Requires an active tenant, an allowed address, and the permission of the endpoint. An endpoint without a permission
 * is closed, unless its contract opens it to every valid credential. Throws tenant_suspended, address_not_allowed,
 * permission_denied.
 */
export function authorize({ route, principal, address }: Authorized): void {
  if (principal.tenantStatus !== 'active') {
    throw new Problem(commonProblems.tenant_suspended, { detail: 'The tenant of this credential is suspended' })
  }
  if (principal.allowedCidrs !== null && !isWithin(principal.allowedCidrs, address)) {
    const detail = 'The allowed_cidrs of the API key do not contain the address of the caller'
    throw new Problem(commonProblems.address_not_allowed, { detail })
  }
  const { audience, permission } = route.endpoint
  if (audience === 'authenticated') return
  if (permission === undefined || !principal.permissions.includes(permission)) {
    throw new Problem(commonProblems.permission_denied, { detail: `The operation requires ${permission}` })
  }
}

function isWithin(cidrs: readonly string[], address: string): boolean {
  let list = lists.get(cidrs)
  if (list === undefined) {
    list = listOf(cidrs)
    lists.set(cidrs, list)
  }
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** The key cache returns the same array while a key is cached. An entry here lives as long as that array. */
const lists = new WeakMap<readonly string[], BlockList>()

function listOf(cidrs: readonly string[]): BlockList {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [network = '', prefix = ''] = cidr.split('/')
    list.addSubnet(network, Number(prefix), isIPv6(network) ? 'ipv6' : 'ipv4')
  }
  return list
}

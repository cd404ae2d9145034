import { BlockList, isIPv6 } from 'node:net'
import { commonProblems, Problem } from '@payments/contracts/problem'
import type { Principal } from '../authorization/resolver.ts'
import type { Route } from '../route-table.ts'
import type { Exchange } from './request-context.ts'

/** May it? The tenant must be active, the address allowed, and the permission held that the route declares. */
export function authorize(route: Route, principal: Principal, exchange: Exchange): void {
  if (principal.tenantStatus !== 'active') throw new Problem(commonProblems.tenant_suspended)
  if (principal.allowedCidrs !== null && !isWithin(principal.allowedCidrs, exchange.address)) {
    throw new Problem(commonProblems.address_not_allowed)
  }
  const { permission } = route.endpoint
  if (permission === undefined || !principal.permissions.includes(permission)) {
    throw new Problem(commonProblems.permission_denied, { detail: `The operation needs ${permission}` })
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

/** As long as the authority remembers a key it hands out the same array, and no longer than that is its list kept. */
const lists = new WeakMap<readonly string[], BlockList>()

function listOf(cidrs: readonly string[]): BlockList {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [network = '', prefix = ''] = cidr.split('/')
    list.addSubnet(network, Number(prefix), isIPv6(network) ? 'ipv6' : 'ipv4')
  }
  return list
}

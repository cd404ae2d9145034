import { Resolver, lookup as systemLookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { isAddress } from '../domain/address.ts'
import { type DestinationRules, hostOf, lookupViolation } from '../domain/destination.ts'
import type { Outcome } from '../domain/outcome.ts'
import { errorDetailOf } from './error-detail.ts'
import { errorKindOf } from './error-kind.ts'

/**
 * From a name to addresses that may be connected to. Every request that leaves for a tenant's URL goes this way: the name is
 * looked up, all its addresses are judged, and the connection is given those very addresses, so that no second look-up can
 * answer otherwise. An address written in the URL is judged itself, since no look-up happens for it.
 */

/** All addresses of a name. */
export type Lookup = (host: string) => Promise<string[]>

export interface Resolving extends DestinationRules {
  readonly lookup: Lookup
}

export interface Resolved {
  readonly addresses: readonly string[]
}

export interface Refused {
  readonly refused: Pick<Outcome, 'errorDetail'> & { readonly errorKind: NonNullable<Outcome['errorKind']> }
}

/** `deadlineAt`: of `performance.now()`. Throws LocalFailure where this machine is out of resources. */
export async function resolve(url: URL, resolving: Resolving, deadlineAt: number): Promise<Resolved | Refused> {
  const host = hostOf(url)
  const found = isAddress(host) ? [host] : await lookUp(resolving.lookup, host, deadlineAt)
  if ('refused' in found) return found
  const violation = lookupViolation(found, resolving)
  return violation === undefined ? { addresses: found } : refusal('blocked_address', violation)
}

export function refusal(errorKind: Refused['refused']['errorKind'], errorDetail: string): Refused {
  return { refused: { errorKind, errorDetail } }
}

/** The look-up that was done and judged, given to the connection in place of another. */
export function vetted(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_host, { all }, callback) => {
    const first = found[0]
    if (all === true) callback(null, found)
    else callback(null, first?.address ?? '', first?.family)
  }
}

/** Asks the servers given (`192.0.2.53`, `[2001:db8::53]:5353`), or, where there are none, what this machine asks. */
export function lookupThrough(servers: readonly string[]): Lookup {
  if (servers.length === 0) return allAddresses
  const resolver = new Resolver({ timeout: 1_000, tries: 2 })
  resolver.setServers(servers)
  return async (host) => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    const failed = answers.find((answer) => answer.status === 'rejected')
    if (found.length === 0 && failed !== undefined) throw failed.reason
    return found
  }
}

async function allAddresses(host: string): Promise<string[]> {
  const found = await systemLookup(host, { all: true, verbatim: true })
  return found.map(({ address }) => address)
}

async function lookUp(lookup: Lookup, host: string, deadlineAt: number): Promise<string[] | Refused> {
  let timer: NodeJS.Timeout | undefined
  const overdue = new Promise<Refused>((resolve) => {
    const waitMs = Math.max(0, deadlineAt - performance.now())
    timer = setTimeout(() => resolve(refusal('timeout', 'the name was not resolved in time')), waitMs)
  })
  try {
    return await Promise.race([lookup(host), overdue])
  } catch (error) {
    // Called for what it throws: whatever else goes wrong in a look-up is the name's fault.
    errorKindOf(error, { connected: false })
    return refusal('dns', errorDetailOf('dns', error))
  } finally {
    clearTimeout(timer)
  }
}

import { Resolver, lookup as systemLookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { within } from '@payments/chassis/base/deadline'
import { isAddress } from './address.ts'
import { type DestinationRules, lookupViolation, readHost } from './destination.ts'
import { describeError } from './error-detail.ts'
import { classifyError, type FailureKind } from './error-kind.ts'

/**
 * **What it does.** Resolves the host of a tenant's URL to addresses to which a connection is allowed. Every request
 * to a tenant's URL uses this function.
 *
 * **Guarantees.** All addresses of the host are checked. The connection receives exactly the checked addresses
 * (`pinnedLookup`), so a second lookup cannot return others. An address in the URL is checked without a lookup.
 *
 * **Not guaranteed.** That the host retains the addresses: a reused connection may outlive them.
 */

/** All addresses of a host name. */
export type Lookup = (host: string) => Promise<string[]>

export interface Resolving extends DestinationRules {
  readonly lookup: Lookup
}

export interface Resolved {
  readonly addresses: readonly string[]
}

export interface Rejected {
  readonly rejection: { readonly errorKind: FailureKind; readonly errorDetail: string }
}

/** `deadlineAt` by `performance.now()`. Throws LocalFailure when this machine is out of resources. */
export async function resolve(url: URL, resolving: Resolving, deadlineAt: number): Promise<Resolved | Rejected> {
  const host = readHost(url)
  const found = isAddress(host) ? [host] : await lookUp(resolving.lookup, host, deadlineAt)
  if ('rejection' in found) return found
  const violation = lookupViolation(found, resolving)
  return violation === undefined ? { addresses: found } : createRejection('blocked_address', violation)
}

export function createRejection(errorKind: FailureKind, errorDetail: string): Rejected {
  return { rejection: { errorKind, errorDetail } }
}

/** Gives a connection the checked addresses in place of another lookup. */
export function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_host, { all }, callback) => {
    const first = found[0]
    if (all === true) callback(null, found)
    else callback(null, first?.address ?? '', first?.family)
  }
}

/**
 * Queries the given servers (`192.0.2.53`, `[2001:db8::53]:5353`), or without any the name servers of the system.
 *
 * Never `getaddrinfo`, except for `localhost`, which needs no query: `getaddrinfo` occupies one of the four threads of
 * Node for as long as a name server is silent. A name in the hosts file or in a search domain is not found.
 */
export function lookupThrough(servers: readonly string[]): Lookup {
  const resolver = new Resolver({ timeout: 1_000, tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)
  return async (host) => {
    if (servers.length === 0 && host === 'localhost') return loopbackAddresses()
    const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const found = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    const failed = results.find((result) => result.status === 'rejected')
    if (found.length === 0 && failed !== undefined) throw failed.reason
    return found
  }
}

async function loopbackAddresses(): Promise<string[]> {
  const found = await systemLookup('localhost', { all: true, verbatim: true })
  return found.map(({ address }) => address)
}

async function lookUp(lookup: Lookup, host: string, deadlineAt: number): Promise<string[] | Rejected> {
  const late = () => createRejection('timeout', 'the host name was not resolved in time')
  try {
    return await within(Math.max(0, deadlineAt - performance.now()), `resolving ${host}`, lookup(host), late)
  } catch (error) {
    // Throws a local failure. Every other failure of a lookup is one of the name.
    classifyError(error, { connected: false })
    return createRejection('dns', describeError('dns', error))
  }
}

import { Problem } from '@payments/contracts/problem'
import { problems } from '@payments/contracts/webhooks'
import { isAddress, kindOfAddress } from './address.ts'

export interface DestinationRules {
  /** For development only. */
  readonly allowPrivate: boolean
  /** 443 and 8443 unless others are given. */
  readonly ports?: readonly number[]
}

export const destinationPorts = [443, 8443] as const
const lengthMax = 2048

/** A host without brackets: as an address is written, and as names are looked up. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/**
 * Which rule a destination breaks, or undefined where it may be stored. Where the name leads is decided at each attempt:
 * DNS changes. `allowPrivate` (development only) lifts all rules but those of form, link-local and metadata addresses.
 */
export function destinationViolation(written: string, rules: DestinationRules): string | undefined {
  const { allowPrivate, ports = destinationPorts } = rules
  if (written.length > lengthMax) return `must have at most ${lengthMax} characters`
  // The URL parser drops blanks and control characters, so what was checked would not be what was written.
  if (/[\s\p{Cc}\\]/u.test(written) || !URL.canParse(written)) return 'must be a URL'
  const url = new URL(written)
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return 'must begin with https://'
  if (url.username !== '' || url.password !== '') return 'must have no user name or password'
  if (url.hash !== '') return 'must have no fragment'
  if (!allowPrivate && !ports.includes(Number(url.port || 443))) return `must be on port ${ports.join(' or ')}`
  return hostViolation(hostOf(url), allowPrivate)
}

function hostViolation(host: string, allowPrivate: boolean): string | undefined {
  if (isAddress(host)) {
    if (!allowPrivate) return 'must name its host, not give an IP address'
    return kindOfAddress(host) === 'forbidden'
      ? 'must not lead to a link-local, metadata or reserved address'
      : undefined
  }
  return !allowPrivate && isSpecialUseName(host) ? 'must be a public host name' : undefined
}

/** Names that never lead to a public host (RFC 6761, 6762, 7686, 8375 and ICANN's .internal). */
const specialUseNames = ['localhost', 'local', 'internal', 'home.arpa', 'invalid', 'test', 'example', 'onion']

/** `host` as the URL parser gives it: in lower case, IDNA applied, full-width letters and dots read as ASCII. */
function isSpecialUseName(host: string): boolean {
  const name = host.replace(/\.+$/, '')
  return !name.includes('.') || specialUseNames.some((special) => name === special || name.endsWith(`.${special}`))
}

/**
 * Why a look-up's result must not be connected to: every address counts, since a client may pick any. The reason does not name
 * the address: tenants would learn what names and addresses there are in our networks.
 */
export function lookupViolation(addresses: readonly string[], { allowPrivate }: DestinationRules): string | undefined {
  for (const address of addresses) {
    const kind = kindOfAddress(address)
    if (kind === 'forbidden' || (kind === 'private' && !allowPrivate)) {
      return 'the host leads to an address that is not public'
    }
  }
  return addresses.length === 0 ? 'the host has no address' : undefined
}

/** Throws destination_not_allowed where there is a refusal. */
export function refuseDestination(refusal: string | undefined, pointer: string): void {
  if (refusal === undefined) return
  throw new Problem(problems.destination_not_allowed, { detail: refusal, errors: [{ pointer, detail: refusal }] })
}

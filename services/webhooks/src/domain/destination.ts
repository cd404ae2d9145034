import { isAddress, kindOfAddress } from './address.ts'

/** `allowPrivate` is for development only. */
export interface DestinationRules {
  readonly allowPrivate: boolean
}

const portsAllowed = new Set(['', '443', '8443'])
const lengthMax = 2048

/** A host without brackets: as an address is written, and as names are looked up. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/**
 * Which rule a destination breaks, or undefined where it may be stored. Where the name leads is decided at each attempt:
 * DNS changes. `allowPrivate` (development only) lifts all rules but those of form, link-local and metadata addresses.
 */
export function destinationViolation(written: string, { allowPrivate }: DestinationRules): string | undefined {
  if (written.length > lengthMax) return `must have at most ${lengthMax} characters`
  // The URL parser drops blanks and control characters, so what was checked would not be what was written.
  if (/[\s\p{Cc}\\]/u.test(written) || !URL.canParse(written)) return 'must be a URL'
  const url = new URL(written)
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return 'must begin with https://'
  if (url.username !== '' || url.password !== '') return 'must have no user name or password'
  if (url.hash !== '') return 'must have no fragment'
  if (!allowPrivate && !portsAllowed.has(url.port)) return 'must be on port 443 or 8443'
  return hostViolation(hostOf(url), allowPrivate)
}

function hostViolation(host: string, allowPrivate: boolean): string | undefined {
  if (isAddress(host)) {
    if (!allowPrivate) return 'must name its host, not give an IP address'
    return kindOfAddress(host) === 'forbidden'
      ? 'must not lead to a link-local, metadata or reserved address'
      : undefined
  }
  const name = host.toLowerCase().replace(/\.$/, '')
  if (!allowPrivate && (name === 'localhost' || name.endsWith('.localhost') || !name.includes('.'))) {
    return 'must be a public host name'
  }
  return undefined
}

/** Why a look-up's result must not be connected to: every address counts, since a client may pick any. */
export function lookupViolation(addresses: readonly string[], { allowPrivate }: DestinationRules): string | undefined {
  for (const address of addresses) {
    const kind = kindOfAddress(address)
    if (kind === 'forbidden' || (kind === 'private' && !allowPrivate)) {
      return `the host leads to an address that is not public (${kind})`
    }
  }
  return addresses.length === 0 ? 'the host has no address' : undefined
}

import { classifyAddress, isAddress } from './address.ts'

export interface DestinationRules {
  /** Development only. */
  readonly allowPrivate: boolean
  /** Default: 443 and 8443. */
  readonly ports?: readonly number[]
}

export const destinationPorts = [443, 8443] as const
const lengthMax = 2048

/** The host without brackets, as lookups and addresses write it. */
export function readHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/**
 * The rule that a destination violates, or undefined when the URL may be stored. The addresses of the host are
 * checked at each attempt, because DNS changes. `allowPrivate` lifts all rules except for the rules of form and of
 * link-local and metadata addresses.
 */
export function destinationViolation(written: string, rules: DestinationRules): string | undefined {
  const { allowPrivate, ports = destinationPorts } = rules
  if (written.length > lengthMax) return `must have at most ${lengthMax} characters`
  // The URL parser removes whitespace and control characters: the checked URL would differ from the stored one.
  if (/[\s\p{Cc}\\]/u.test(written) || !URL.canParse(written)) return 'must be a URL'
  // Without the slashes, the URL in a page of the same scheme is a path of that page.
  if (!(allowPrivate ? /^https?:\/\//i : /^https:\/\//i).test(written)) return 'must begin with https://'
  const url = new URL(written)
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (url.hash !== '') return 'must not contain a fragment'
  if (!allowPrivate && !ports.includes(Number(url.port || 443))) return `must be on port ${ports.join(' or ')}`
  return hostViolation(readHost(url), allowPrivate)
}

function hostViolation(host: string, allowPrivate: boolean): string | undefined {
  if (isAddress(host)) {
    if (!allowPrivate) return 'must contain a host name, not an IP address'
    return classifyAddress(host) === 'forbidden'
      ? 'must not contain a link-local, metadata or reserved address'
      : undefined
  }
  return !allowPrivate && isSpecialUseName(host) ? 'must be a public host name' : undefined
}

/** Names that never belong to a public host (RFC 6761, 6762, 7686, 8375 and .internal of ICANN). */
const specialUseNames = ['localhost', 'local', 'internal', 'home.arpa', 'invalid', 'test', 'example', 'onion']

/** `host` as the URL parser returns it: lower case, after IDNA, full-width characters as ASCII. */
function isSpecialUseName(host: string): boolean {
  let end = host.length
  while (host[end - 1] === '.') end -= 1
  const name = host.slice(0, end)
  return !name.includes('.') || specialUseNames.some((special) => name === special || name.endsWith(`.${special}`))
}

/**
 * Why no connection to the addresses of a lookup is allowed. One forbidden address is enough, because a client may
 * select any of them. The text does not contain the address: tenants could otherwise explore our networks.
 */
export function lookupViolation(addresses: readonly string[], { allowPrivate }: DestinationRules): string | undefined {
  for (const address of addresses) {
    const kind = classifyAddress(address)
    if (kind === 'forbidden' || (kind === 'private' && !allowPrivate)) {
      return 'the host resolves to an address that is not public'
    }
  }
  return addresses.length === 0 ? 'the host has no address' : undefined
}

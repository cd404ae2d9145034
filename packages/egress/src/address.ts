import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Whether a connection to an address is allowed on behalf of a tenant (SSRF).
 *
 * - public: allowed.
 * - private: allowed only where private destinations are, which is in development.
 * - forbidden: never allowed. Link-local and metadata addresses reveal credentials of the machine; reserved addresses
 *   are no destinations.
 *
 * IPv4 uses the deny list of IANA's special-purpose registry and 168.63.129.16 (metadata of Azure). IPv6 uses an
 * allow list: 2000::/3, the global unicast space, without its special parts. An address that embeds an IPv4 address
 * (mapped, NAT64) is classified as the IPv4 address. 6to4, Teredo, IPv4-compatible and invalid addresses are
 * forbidden.
 */
export type AddressKind = 'public' | 'private' | 'forbidden'

type Range = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

const ranges = (...cidrs: string[]): Range[] => cidrs.map((cidr) => ipaddr.parseCIDR(cidr))

const privateV4 = ranges('10.0.0.0/8', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10')
const forbiddenV4 = ranges(
  '0.0.0.0/8',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
)
const privateV6 = ranges('::1/128', 'fc00::/7')
const metadataV6 = ranges('fd00:ec2::254/128', 'fd20:ce::254/128')
const globalV6 = ranges('2000::/3')
const specialV6 = ranges('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20')
const mappedV6 = ranges('::ffff:0:0/96')
const nat64 = ranges('64:ff9b::/96')

/** `address` as DNS or a URL contains it, without brackets. */
export function classifyAddress(address: string): AddressKind {
  if (address.includes('%') || !ipaddr.isValid(address)) return 'forbidden'
  // ipaddr.js parses `::127.0.0.1` as `::ffff:127.0.0.1`. The URL parser writes it in hexadecimal groups, which are
  // safe.
  const plain = address.includes(':') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address
  const parsed = ipaddr.parse(plain)
  return parsed.kind() === 'ipv4' ? classifyIpv4(parsed as ipaddr.IPv4) : classifyIpv6(parsed as ipaddr.IPv6)
}

/** Whether the host of a URL, without brackets, is an address, not a name. */
export function isAddress(host: string): boolean {
  return isIP(host) !== 0
}

function classifyIpv4(address: ipaddr.IPv4): AddressKind {
  if (isIn(address, forbiddenV4)) return 'forbidden'
  return isIn(address, privateV4) ? 'private' : 'public'
}

function classifyIpv6(address: ipaddr.IPv6): AddressKind {
  if (isIn(address, mappedV6) || isIn(address, nat64))
    return classifyIpv4(new ipaddr.IPv4(address.toByteArray().slice(12)))
  if (isIn(address, metadataV6)) return 'forbidden'
  if (isIn(address, privateV6)) return 'private'
  return isIn(address, globalV6) && !isIn(address, specialV6) ? 'public' : 'forbidden'
}

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, list: readonly Range[]): boolean {
  return list.some(([range, bits]) => range.kind() === address.kind() && address.match(range as ipaddr.IPv4, bits))
}

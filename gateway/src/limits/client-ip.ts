import type { IncomingMessage } from 'node:http'
import { isIPv4 } from 'node:net'
import { rawHeaderValues } from '@payments/chassis/request/raw-request'
import { formatAddressBlock, parseAddressBlock } from '@payments/contracts/grammar/cidr'

/**
 * Returns the address of the caller. Each trusted proxy appends the address of its client to X-Forwarded-For.
 * With N trusted proxies, the caller's address is the Nth from the right; the caller may have written the addresses
 * left of it. Without trusted proxies, it is the address of the connection.
 *
 * Returns undefined when the Nth address is missing or unreadable: the request bypassed a proxy, or the number of
 * proxies is wrong. **Not guaranteed:** a true address when a client can reach the gateway without the proxies.
 */
export function callerAddress(request: IncomingMessage, trustedProxies: number): string | undefined {
  if (trustedProxies === 0) return connectionAddress(request)
  const addresses = rawHeaderValues(request, 'x-forwarded-for').join(',').split(',')
  return normalizeAddress((addresses.at(-trustedProxies) ?? '').trim())
}

/** An IPv4 address has the same text on an IPv4 listener and on a dual-stack listener. */
export function connectionAddress(request: { readonly socket: IncomingMessage['socket'] }): string {
  return (request.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '')
}

/** Accepts the port that some proxies add: `192.0.2.1:1234`, `[2001:db8::1]:1234`. */
function normalizeAddress(text: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([0-9a-fA-F:.]+)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/.exec(text) ?? []
  const address = bracketed ?? plain ?? text
  if (isIPv4(address)) return address
  const block = address.includes('/') ? undefined : parseAddressBlock(address)
  return block === undefined ? undefined : formatAddressBlock(block).replace(/\/\d+$/, '')
}

/**
 * Returns the subject of limits per address: an IPv4 address, or the /64 of an IPv6 address, which one customer has.
 * Returns "unknown" for the empty address of a closed connection.
 */
export function addressBlock(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '')
  const block = plain.includes(':') ? parseAddressBlock(`${plain}/64`) : undefined
  return block === undefined ? plain || 'unknown' : formatAddressBlock(block)
}

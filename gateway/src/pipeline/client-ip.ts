import type { IncomingMessage } from 'node:http'
import { isIPv4 } from 'node:net'
import { rawHeaderValues } from '@payments/chassis/http'
import { formatAddressBlock, parseAddressBlock } from '@payments/contracts/cidr'

/**
 * Where a request comes from. Each trusted proxy appends to X-Forwarded-For the address that connected to it, so with N of
 * them the caller is the Nth address from the right; whatever stands left of it is the caller's own invention. With none,
 * the header means nothing, and the caller is whoever connected.
 *
 * Where the header has no readable address in that place the request has not come through the proxies, or they are not as
 * many as configured: then the address is not known, and undefined. Not promised: anything, where the gateway can be reached
 * past its proxies.
 */
export function callerAddress(request: IncomingMessage, trustedProxies: number): string | undefined {
  if (trustedProxies === 0) return connectionAddress(request)
  const addresses = rawHeaderValues(request, 'x-forwarded-for').join(',').split(',')
  return normalized((addresses.at(-trustedProxies) ?? '').trim())
}

/** An IPv4 address is the same whether the listener is of IPv4 or of both. */
export function connectionAddress(request: { readonly socket: IncomingMessage['socket'] }): string {
  return (request.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '')
}

/** Some proxies add the port: `192.0.2.1:1234`, `[2001:db8::1]:1234`. */
function normalized(text: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([0-9a-fA-F:.]+)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/.exec(text) ?? []
  const address = bracketed ?? plain ?? text
  if (isIPv4(address)) return address
  const block = address.includes('/') ? undefined : parseAddressBlock(address)
  return block === undefined ? undefined : formatAddressBlock(block).replace(/\/\d+$/, '')
}

/** The address that limits go by: of IPv6 its /64, which is what one customer has. A connection that is gone has none. */
export function addressBlock(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '')
  const block = plain.includes(':') ? parseAddressBlock(`${plain}/64`) : undefined
  return block === undefined ? plain || 'unknown' : formatAddressBlock(block)
}

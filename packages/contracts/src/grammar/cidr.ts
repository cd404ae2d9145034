import { z } from 'zod'

/**
 * A block of addresses as a caller writes it: `10.0.0.0/8`, `2001:db8::/32`, or one address. The block is stored and
 * returned in one form only: the host bits zero, the length given, IPv6 as in RFC 5952, an IPv4-mapped block as the
 * IPv4 block that it means.
 */
export interface AddressBlock {
  readonly family: 4 | 6
  /** The least address, as a number. */
  readonly first: bigint
  /** How many leading bits the addresses of the block share. */
  readonly length: number
}

export const addressBits = { 4: 32, 6: 128 } as const

/** undefined where it is no block of addresses. */
export function parseAddressBlock(text: string): AddressBlock | undefined {
  const [, address = '', length] = /^([^/]*)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? []
  const parsed = parseIpv4(address) ?? parseIpv6(address)
  if (parsed === undefined) return undefined
  const bits = addressBits[parsed.family]
  const given = length === undefined ? bits : Number(length)
  return given <= bits ? buildBlock(parsed.family, parsed.value, given) : undefined
}

export function formatAddressBlock({ family, first, length }: AddressBlock): string {
  return `${family === 4 ? formatIpv4(first) : formatIpv6(first)}/${length}`
}

const octet = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'

/** A CIDR in its one form. */
export const cidr = z
  .string()
  .max(64)
  .meta({
    pattern: `^(${octet}(\\.${octet}){3}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)(/(0|[1-9][0-9]{0,2}))?$`,
    examples: ['203.0.113.0/24', '198.51.100.7', '2001:db8::/32'],
  })
  .transform((text, context): string => {
    const block = parseAddressBlock(text)
    if (block !== undefined) return formatAddressBlock(block)
    context.addIssue({ code: 'custom', message: 'must be an IPv4 or IPv6 address or CIDR block' })
    return z.NEVER
  })

const mappedPrefix = 0xffffn

function buildBlock(family: 4 | 6, value: bigint, length: number): AddressBlock {
  if (family === 6 && length >= 96 && value >> 32n === mappedPrefix) {
    return buildBlock(4, value & 0xffff_ffffn, length - 96)
  }
  const hostBits = BigInt(addressBits[family] - length)
  return { family, first: (value >> hostBits) << hostBits, length }
}

/** Four decimal numbers without leading zeros, which some parsers take for octal. */
function parseIpv4(text: string): { family: 4; value: bigint } | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) {
    return undefined
  }
  return { family: 4, value: parts.reduce((value, part) => value * 256n + BigInt(part), 0n) }
}

/** The URL standard's parser reads it, and writes it in the form of RFC 5952. */
function parseIpv6(text: string): { family: 6; value: bigint } | undefined {
  if (!/^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text) || !URL.canParse(`http://[${text}]`)) return undefined
  const [head = '', tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::')
  const groups = (part: string) => (part === '' ? [] : part.split(':'))
  const [left, right] = [groups(head), groups(tail ?? '')]
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  const value = [...left, ...zeros, ...right].reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n)
  return { family: 6, value }
}

function formatIpv4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.')
}

function formatIpv6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16))
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

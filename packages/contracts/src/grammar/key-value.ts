import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * The value of an API key: `psk_<environment>_<43 base62 characters of 256 random bits><6 base62 characters of
 * CRC-32>`. The checksum covers all that stands before it. The checksum is no secret: with it, the gateway rejects a
 * typing error, and a scanner of source code recognizes a leaked key, without a request.
 */
export type Environment = 'dev' | 'qa' | 'prod'

export const secretLength = 43
const checksumLength = 6

const form = /^([a-z]{3})_(dev|qa|prod)_[0-9A-Za-z]{49}$/
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The parts of a well-formed value; undefined for a malformed one. A key with this value need not exist. */
export const parseKeyValue = (value: string): { environment: Environment } | undefined => parseValue('psk', value)

/** As parseKeyValue, for a value with another prefix. */
export function parseValue(prefix: string, value: string): { environment: Environment } | undefined {
  const [, written, environment] = form.exec(value) ?? []
  if (written !== prefix) return undefined
  const covered = value.slice(0, -checksumLength)
  if (calculateChecksum(covered) !== value.slice(-checksumLength)) return undefined
  return { environment: environment as Environment }
}

/** The key hash: SHA-256 of the value, in hex. The value itself never leaves the gateway. */
export function keyHash(value: string): string {
  return hash('sha256', value, 'hex')
}

/** The last characters of a value whose beginning is `covered`. */
export function calculateChecksum(covered: string): string {
  return base62(BigInt(crc32(covered)), checksumLength)
}

/** `number` in base 62, most significant digit first, filled up with zeros to `length`. */
export function base62(number: bigint, length: number): string {
  let text = ''
  for (let rest = number, i = 0; i < length; i += 1, rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text
  return text
}

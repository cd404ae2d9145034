import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { keyHash, parseKeyValue } from '@payments/contracts/key-value'
import { mask } from '@payments/vault/mask'
import { keyValueOf } from '../src/domain/key-value.ts'

const value = () => keyValueOf('prod', randomBytes(32))

describe('the value of a key', () => {
  test('has the form psk_<environment>_ and 49 characters of base 62, and tells its environment', () => {
    for (const environment of ['dev', 'qa', 'prod'] as const) {
      const made = keyValueOf(environment, randomBytes(32))
      expect(made).toMatch(new RegExp(`^psk_${environment}_[0-9A-Za-z]{49}$`))
      expect(parseKeyValue(made)).toEqual({ environment })
      expect(mask(made)).toBe(`psk_${environment}_…${made.slice(-4)}`)
    }
  })

  test('holds all 256 bits: the least and the greatest fill the same 43 digits', () => {
    const digits = (byte: number) => keyValueOf('dev', Buffer.alloc(32, byte)).slice('psk_dev_'.length, -6)
    expect(digits(0)).toBe('0'.repeat(43))
    expect(digits(0xff)).toMatch(/^[1-9A-Za-z][0-9A-Za-z]{42}$/)
    expect(() => keyValueOf('dev', randomBytes(31))).toThrow('32 random bytes')
  })

  test('ends in a known checksum, so that other tools can check it', () => {
    expect(keyValueOf('dev', Buffer.alloc(32))).toBe(`psk_dev_${'0'.repeat(43)}0o6yD3`)
  })

  test('with any one character changed is refused', () => {
    const made = value()
    for (let at = 0; at < made.length; at += 1) {
      const other = made[at] === 'a' ? 'b' : 'a'
      expect(parseKeyValue(made.slice(0, at) + other + made.slice(at + 1))).toBeUndefined()
    }
  })

  test.each([
    ['empty', () => ''],
    ['cut short', () => value().slice(0, -1)],
    ['lengthened', () => `${value()}0`],
    ['followed by a line end', () => `${value()}\n`],
    ['of another environment than its checksum covers', () => value().replace('_prod_', '_dev_')],
    ['in other case', () => value().toUpperCase()],
  ])('%s is refused', (_, make) => {
    expect(parseKeyValue(make())).toBeUndefined()
  })

  test('is looked up by its SHA-256 in hex', () => {
    const made = value()
    expect(keyHash(made)).toBe(createHash('sha256').update(made).digest('hex'))
  })
})

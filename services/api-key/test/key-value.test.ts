import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { keyHash, parseKeyValue } from '@payments/contracts/grammar/key-value'
import { mask } from '@payments/vault/mask'
import { createKeyValue } from '../src/domain/key-value.ts'

const value = () => createKeyValue('prod', randomBytes(32))

describe('the value of a key', () => {
  test('has the form psk_<environment>_ and 49 characters of base 62, and contains its environment', () => {
    for (const environment of ['dev', 'qa', 'prod'] as const) {
      const created = createKeyValue(environment, randomBytes(32))
      expect(created).toMatch(new RegExp(`^psk_${environment}_[0-9A-Za-z]{49}$`))
      expect(parseKeyValue(created)).toEqual({ environment })
      expect(mask(created)).toBe(`psk_${environment}_…${created.slice(-4)}`)
    }
  })

  test('contains all 256 bits: the smallest and the largest number fill the same 43 digits', () => {
    const digits = (byte: number) => createKeyValue('dev', Buffer.alloc(32, byte)).slice('psk_dev_'.length, -6)
    expect(digits(0)).toBe('0'.repeat(43))
    expect(digits(0xff)).toMatch(/^[1-9A-Za-z][0-9A-Za-z]{42}$/)
    expect(() => createKeyValue('dev', randomBytes(31))).toThrow('32 random bytes')
  })

  test('ends in a documented checksum, so that other tools can verify it', () => {
    expect(createKeyValue('dev', Buffer.alloc(32))).toBe(`psk_dev_${'0'.repeat(43)}0o6yD3`)
  })

  test('is rejected with any one character changed', () => {
    const created = value()
    for (let at = 0; at < created.length; at += 1) {
      const other = created[at] === 'a' ? 'b' : 'a'
      expect(parseKeyValue(created.slice(0, at) + other + created.slice(at + 1))).toBeUndefined()
    }
  })

  test.each([
    ['an empty value', () => ''],
    ['a shortened value', () => value().slice(0, -1)],
    ['an extended value', () => `${value()}0`],
    ['a value and a line end', () => `${value()}\n`],
    ['an environment that the checksum does not cover', () => value().replace('_prod_', '_dev_')],
    ['another case', () => value().toUpperCase()],
  ])('rejects %s', (_, make) => {
    expect(parseKeyValue(make())).toBeUndefined()
  })

  test('has its SHA-256 in hex as key hash', () => {
    const created = value()
    expect(keyHash(created)).toBe(createHash('sha256').update(created).digest('hex'))
  })
})

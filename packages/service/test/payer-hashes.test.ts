import { createHash, createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { addressHashes, payerHashConfig, payerHashConfigIsWhole, payerHashKeys } from '../src/payers/hashes.ts'

const key = () => createSecretKey(randomBytes(32))
const tenantId = randomUUID()
const hex = (hashes: readonly Uint8Array[]) => hashes.map((hash) => Buffer.from(hash).toString('hex'))

test('without the key, the hash of a phone number is not found by trying all numbers', () => {
  const [stored] = hex(addressHashes({ keys: new Map([['a', key()]]), current: 'a' }, tenantId, '+4930123456'))
  expect(stored).not.toBe(createHash('sha256').update(`${tenantId} +4930123456`).digest('hex'))
  expect(stored).not.toBe(
    hex(addressHashes({ keys: new Map([['a', key()]]), current: 'a' }, tenantId, '+4930123456'))[0],
  )
})

test('after a rotation, a hash of an earlier key is recognized, and new ones have the current key', () => {
  const [earlier, current] = [key(), key()]
  const [before] = hex(addressHashes({ keys: new Map([['a', earlier]]), current: 'a' }, tenantId, 'x@example.com'))
  const rotated = {
    keys: new Map([
      ['a', earlier],
      ['b', current],
    ]),
    current: 'b',
  }
  const after = hex(addressHashes(rotated, tenantId, 'x@example.com'))
  expect(after.indexOf(before ?? '')).toBe(1)
  expect(hex(addressHashes(rotated, randomUUID(), 'x@example.com'))).not.toContain(after[0])
})

test('a configuration whose current key is not one of the keys is rejected', () => {
  const schema = z.object(payerHashConfig).check(payerHashConfigIsWhole)
  const PAYER_HASH_KEYS = JSON.stringify({ a: randomBytes(32).toString('base64') })
  expect(payerHashKeys(schema.parse({ PAYER_HASH_KEYS, PAYER_HASH_KEY_CURRENT: 'a' })).current).toBe('a')
  expect(() => schema.parse({ PAYER_HASH_KEYS, PAYER_HASH_KEY_CURRENT: 'b' })).toThrow('PAYER_HASH_KEYS')
})

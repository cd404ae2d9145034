import { randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { vaultConfig, vaultConfigIsWhole } from '../src/config.ts'
import { mask } from '../src/mask.ts'

const schema = z.object({ ...vaultConfig }).check(...vaultConfigIsWhole)
const good = () => randomBytes(32).toString('base64')
const parse = (keys: unknown, current = 'k1') =>
  schema.safeParse({
    VAULT_KEYS: typeof keys === 'string' ? keys : JSON.stringify(keys),
    VAULT_KEY_CURRENT: current,
  })

describe('VAULT_KEYS', () => {
  test('accepts a ring of random keys', () => {
    const parsed = parse({ k1: good(), k2: good() })
    expect([...(parsed.data?.VAULT_KEYS?.keys() ?? [])]).toEqual(['k1', 'k2'])
  })

  test.each([
    ['no JSON', 'k1=abc', 'must be JSON'],
    ['no object', [good()], 'must be JSON'],
    ['an empty ring', {}, 'at least one key'],
    ['a short key', { k1: randomBytes(31).toString('base64') }, 'base64 of 32 bytes'],
    ['a long key', { k1: randomBytes(33).toString('base64') }, 'base64 of 32 bytes'],
    ['zeros', { k1: Buffer.alloc(32).toString('base64') }, 'looks like a default'],
    ['one repeated byte', { k1: Buffer.alloc(32, 0x61).toString('base64') }, 'looks like a default'],
    ['a repeated word', { k1: Buffer.alloc(32, 'changeme').toString('base64') }, 'looks like a default'],
    [
      'a counter',
      { k1: Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString('base64') },
      'looks like a default',
    ],
  ])('rejects %s and says why', (_, keys, reason) => {
    const parsed = parse(keys)
    expect(parsed.error?.issues).toEqual([
      expect.objectContaining({ path: ['VAULT_KEYS'], message: expect.stringContaining(reason) }),
    ])
  })

  test('names the id of every rejected key, and prints no key', () => {
    const secret = randomBytes(16).toString('base64')
    const parsed = parse({ k1: secret, k2: good(), k3: secret })
    expect(parsed.error?.issues.map((issue) => issue.message.slice(0, 3))).toEqual(['k1:', 'k3:'])
    expect(JSON.stringify(parsed.error?.issues)).not.toContain(secret)
  })

  test('rejects a current key that is not on the ring', () => {
    expect(parse({ k1: good() }, 'k2').error?.issues).toEqual([
      expect.objectContaining({ path: ['VAULT_KEY_CURRENT'] }),
    ])
  })
})

describe('VAULT_KMS_KEYS', () => {
  const arn = 'arn:aws:kms:eu-central-1:111122223333:key/6b6c2b9e-2f6e-4d5c-9d0a-0d7a3f1c2b3a'
  const kms = (keys: unknown, rest: Record<string, string> = {}) =>
    schema.safeParse({ VAULT_KMS_KEYS: JSON.stringify(keys), VAULT_KEY_CURRENT: 'kms', ...rest })

  test('needs no local key', () => {
    expect([...(kms({ kms: arn }).data?.VAULT_KMS_KEYS ?? [])]).toEqual([['kms', arn]])
  })

  test('accepts local keys beside it, so that one replaces the other', () => {
    const VAULT_KEYS = JSON.stringify({ k1: good() })
    expect(kms({ kms: arn }, { VAULT_KEYS }).success).toBe(true)
    expect(kms({ kms: arn }, { VAULT_KEYS, VAULT_KEY_CURRENT: 'k1' }).success).toBe(true)
  })

  test.each([
    ['an alias', { kms: 'arn:aws:kms:eu-central-1:111122223333:alias/payments' }, 'not of an alias'],
    ['the id of a key without its region', { kms: '6b6c2b9e-2f6e-4d5c-9d0a-0d7a3f1c2b3a' }, 'must be the ARN'],
    ['an empty ring', {}, 'at least one key'],
    ['too many keys', Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, arn])), 'at most 16 keys'],
  ])('rejects %s and says why', (_, keys, reason) => {
    const issues = kms(keys).error?.issues ?? []
    expect(issues.map(({ path }) => path[0])).toContain('VAULT_KMS_KEYS')
    expect(issues.map(({ message }) => message).join()).toContain(reason)
  })

  test('rejects an id that is a local key too', () => {
    const both = kms({ kms: arn }, { VAULT_KEYS: JSON.stringify({ kms: good() }) })
    expect(both.error?.issues).toEqual([expect.objectContaining({ path: ['VAULT_KMS_KEYS'] })])
  })

  test('rejects a current key of neither ring, and a configuration without keys', () => {
    const current = kms({ kms: arn }, { VAULT_KEY_CURRENT: 'k1' })
    expect(current.error?.issues).toEqual([expect.objectContaining({ path: ['VAULT_KEY_CURRENT'] })])
    const none = schema.safeParse({ VAULT_KEY_CURRENT: 'kms' })
    expect(none.error?.issues[0]).toMatchObject({ path: ['VAULT_KEYS'] })
  })
})

describe('mask', () => {
  test.each([
    [`psk_dev_${'a'.repeat(45)}x7Qa`, 'psk_dev_…x7Qa'],
    [`psk_prod_${'a'.repeat(45)}x7Qa`, 'psk_prod_…x7Qa'],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_…LaSw'],
  ])('shows prefix and last four characters of a generated secret', (secret, masked) => {
    expect(mask(secret)).toBe(masked)
  })

  test.each(['', 'hunter2', 'psk_dev_short', 'whsec_a b', `sk_live_${'a'.repeat(40)}`, `psk_test_${'a'.repeat(49)}`])(
    'shows nothing of any other secret',
    (secret) => {
      expect(mask(secret)).toBe('…')
    },
  )
})

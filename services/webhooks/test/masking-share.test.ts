import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { maskCredentials } from '../src/egress/mask-credentials.ts'

const large = Array.from({ length: 4 }, () => randomBytes(4_000).toString('latin1'))
const escaped = Buffer.from('%2525'.repeat(3_200))

test('the responses to a tenant with long credentials are masked in turn, and those to others between them', async () => {
  const masked: string[] = []
  const mask = async (tenantId: string, secrets: readonly string[]) => {
    await maskCredentials({ tenantId, secrets }, (masking) => masking.bytes(escaped, true))
    masked.push(tenantId)
  }
  const all = Array.from({ length: 20 }, () => mask('a', large))
  await Promise.all([...all, mask('b', ['a secret'])])
  // One after the other, it would be the last.
  expect(masked.indexOf('b')).toBeLessThan(10)
  expect(masked).toHaveLength(21)
})

test('without credentials, a response is as received', async () => {
  expect(await maskCredentials(null, (masking) => masking.text('a secret'))).toBe('a secret')
})

import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { until } from '@payments/testing/services/until'
import { maskCredentials } from '../src/egress/mask-credentials.ts'

const large = Array.from({ length: 4 }, () => randomBytes(4_000).toString('latin1'))
const escaped = Buffer.from('%2525'.repeat(3_200))

/** The order in which 20 responses to a tenant with long credentials, and then one to another, are masked. */
async function maskedInOrder(): Promise<readonly string[]> {
  const masked: string[] = []
  const mask = async (tenantId: string, secrets: readonly string[]) => {
    await maskCredentials({ tenantId, secrets }, (masking) => masking.bytes(escaped, true))
    masked.push(tenantId)
  }
  await Promise.all([...Array.from({ length: 20 }, () => mask('a', large)), mask('b', ['a secret'])])
  return masked
}

test('the responses to a tenant with long credentials are masked in turn, and those to others between them', async () => {
  // One after the other, it would be the last each time. A process that loses the processor for a moment may be late.
  await until(async () => {
    const masked = await maskedInOrder()
    expect(masked).toHaveLength(21)
    return masked.indexOf('b') < 10
  })
})

test('without credentials, a response is as received', async () => {
  expect(await maskCredentials(null, (masking) => masking.text('a secret'))).toBe('a secret')
})

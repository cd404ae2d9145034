import { describe, expect, test } from '@jest/globals'
import { longestHoldMs, slowness } from '@payments/testing/runner/held-time'
import fc from 'fast-check'
import { containsCardNumber, redactCardNumbers } from '../src/base/card-number.ts'

describe('containsCardNumber', () => {
  test.each([
    ['4111111111111111'],
    ['{"a":4111111111111111}'],
    ['tok_4111111111111111'],
    ['pay with 4111 1111 1111 1111, please'],
    ['order 12 4111-1111-1111-1111'],
    ['378282246310005'],
    ['6011000990139424'],
    ['6304000000000000000'],
    ['30569309025904'],
    ['2223003122003222'],
    ['3566002020360505'],
    ['6200000000000005'],
    ['4111\u00a01111\u00a01111\u00a01111'],
    ['4111\u20091111\u20091111\u20091111'],
    ['4111\u200b1111\u200b1111\u200b1111'],
    ['4111\n1111\r\n1111\n1111'],
    ['4111\t1111\t1111\t1111'],
    ['4111\u20131111\u20131111\u20131111'],
    ['4111 – 1111 – 1111 – 1111'],
    ['4111.1111.1111.1111'],
    ['4111/1111/1111/1111'],
    ['4111_1111_1111_1111'],
    ['4111,1111,1111,1111'],
    ['4111  1111  1111  1111'],
    ['4.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1'],
    ['４１１１１１１１１１１１１１１１'],
    ['٤١١١ ١١١١ ١١١١ ١١١١'],
    ['𝟒𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏'],
    ['\n4111111111111111'],
    ['card4111111111111111'],
    ['4111111111111111.00'],
    ['4111 1111 1111 1111 12/28 123'],
    ['on 2026-11-21 4111 1111 1111 1111'],
  ])('finds the card number in %s', (text) => {
    expect(containsCardNumber(text)).toBe(true)
  })

  test.each([
    ['4111111111111112'],
    ['999999999999'],
    ['a4111111111111111'],
    ['4111111111111111f'],
    ['41111111111111110000'],
    ['0.4111111111111111'],
    ['[4111, 1111, 1111, 1111]'],
    ['commit 4111111111111111abcdef4111111111111111abcdef'],
    ['30.11.2026 09:44:31'],
    ['order 4012 2026-11-21 09:44:31.123'],
    ['1763890000000'],
    ['192048710293847561'],
    ['+4915112345671'],
    ['4006381333931'],
    ['4222222222222'],
    ['4917674270252'],
    ['41.40338, 2.174033111111111'],
    ['4.111111111111111'],
    ['4111111 1 1 1 1 1a 1 1 1 1'],
    ['1234567890123452'],
    ['{"id":"0192f3a4-abcd-4111-8111-111111111111","amount":100}'],
    ['{"id":"41111111-1111-4111-8111-411111111111"}'],
    ['2026-11-21T09:44:31.123Z'],
    ['tok_sandbox_slow_30000'],
  ])('ignores %s', (text) => {
    expect(containsCardNumber(text)).toBe(false)
  })

  test('never reports a UUID', () => {
    const reported = fc.property(fc.uuid(), (id) => {
      expect(containsCardNumber(JSON.stringify({ id, ids: [id, id] }))).toBe(false)
    })
    fc.assert(reported, { numRuns: 2_000 })
  })

  test.each(['order_226d7a33-2acf-40d1-8252-470555545469', '226d7a33-2acf-40d1-8252-470555545469_2'])(
    'does not report the UUID in %s',
    (text) => expect(containsCardNumber(text)).toBe(false),
  )

  test('never reports a UUID after or before an underscore', () => {
    const reported = fc.property(fc.uuid(), (id) => {
      expect(containsCardNumber(JSON.stringify([`order_${id}`, `${id}_a`]))).toBe(false)
    })
    fc.assert(reported, { numRuns: 2_000 })
  })

  test('reports few random numbers of 16 digits, and no random text of escaped letters', () => {
    const digits = fc.stringMatching(/^[0-9]{16}$/)
    const found = fc.sample(digits, { numRuns: 5_000, seed: 1 }).filter((text) => containsCardNumber(text))
    expect(found.length).toBeLessThan(250)
    expect(containsCardNumber('\ud9d3\ude39'.repeat(100))).toBe(false)
  })

  test.each([
    ...[
      '\u{1d7ff}',
      '4 ',
      '6 ',
      '3 6 ',
      '0 ',
      '6 0 0 0',
      '1',
      '1 ',
      '1.',
      '1:',
      '1-',
      '\u0664',
      'a1 ',
      '1a',
      '4111 1111 ',
    ],
    ...['0.4111111111111111 ', '4111111111111111a ', '41111111-1111-4111-8111-411111111111 ', '1111-', '12345678-'],
  ])('reads 256 KiB of %s within 20 ms', async (piece) => {
    const text = piece.repeat(262_144 / Buffer.byteLength(piece))
    const holds = []
    for (let run = 0; run < 4; run += 1) holds.push(await longestHoldMs(async () => containsCardNumber(text)))
    expect(Math.min(...holds)).toBeLessThan(20 * slowness())
  })
})

describe('redactCardNumbers', () => {
  test.each([
    ['Mozilla/5.0 4111111111111111', 'Mozilla/5.0 [card number]'],
    ['a 4111-1111-1111-1111, 378282246310005.', 'a [card number], [card number].'],
    ['𝟒𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏 é', '[card number] é'],
    ['4111111111111111 4111111111111111', '[card number] [card number]'],
    ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36'],
  ])('turns %s into %s', (text, redacted) => {
    expect(redactCardNumbers(text)).toBe(redacted)
    expect(containsCardNumber(redacted)).toBe(false)
  })
})

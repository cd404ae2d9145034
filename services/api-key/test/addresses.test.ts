import { describe, expect, test } from '@jest/globals'
import { cidr, parseAddressBlock } from '@payments/contracts/grammar/cidr'
import fc from 'fast-check'
import { covers } from '../src/domain/addresses.ts'

describe('a block of addresses', () => {
  test.each([
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['10.1.2.3', '10.1.2.3/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['255.255.255.255/31', '255.255.255.254/31'],
    ['2001:DB8::1', '2001:db8::1/128'],
    ['2001:0db8:0000:0000:0001:0000:0000:0001', '2001:db8::1:0:0:1/128'],
    ['2001:db8:ffff::/33', '2001:db8:8000::/33'],
    ['::/0', '::/0'],
    ['::1', '::1/128'],
    ['1:2:3:4:5:6:7:8/16', '1::/16'],
    ['::ffff:192.0.2.1', '192.0.2.1/32'],
    ['::ffff:c000:0201/120', '192.0.2.0/24'],
    ['::ffff:0:0/96', '0.0.0.0/0'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201/128'],
  ])('is normalized: %s becomes %s, which stays unchanged', (input, normalized) => {
    expect(cidr.parse(input)).toBe(normalized)
    expect(cidr.parse(normalized)).toBe(normalized)
  })

  test.each([
    '',
    '10',
    '10.0.0',
    '10.0.0.0.0',
    '10.0.0.256',
    '010.0.0.1',
    '0x0a.0.0.1',
    '1e1.0.0.1',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    ' 10.0.0.0',
    '10.0.0.0\n',
    '/8',
    '::/129',
    ':::',
    '1::2::3',
    '12345::',
    'fe80::1%eth0',
    '[::1]',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    'localhost',
    '::1/',
    '10.0.0.0-10.0.0.9',
    '::ffff:10.0.0.256',
    'a:b',
    `${'0'.repeat(65)}::`,
  ])('rejects %j', (text) => {
    expect(cidr.safeParse(text).success).toBe(false)
  })
})

describe('covers', () => {
  test.each([
    [[], ['0.0.0.0/0'], true],
    [[], [], true],
    [['0.0.0.0/0', '::/0'], [], true],
    [['0.0.0.0/0'], [], false],
    [['::/0'], ['10.0.0.0/8'], false],
    [['10.0.0.0/8'], ['10.1.0.0/16', '10.2.3.4/32'], true],
    [['10.0.0.0/8'], ['11.0.0.0/32'], false],
    [['10.0.0.0/9', '10.128.0.0/9'], ['10.0.0.0/8'], true],
    [['10.128.0.0/9', '10.64.0.0/10', '10.0.0.0/10'], ['10.0.0.0/8'], true],
    [['10.0.0.0/9', '10.192.0.0/10'], ['10.0.0.0/8'], false],
    [['10.0.0.0/8', '10.1.0.0/16'], ['10.255.0.0/16'], true],
    [['2001:db8::/32'], ['2001:db8:1::/48'], true],
    [['2001:db8:1::/48'], ['2001:db8::/32'], false],
  ])('%j covers %j: %s', (outer, inner, expected) => {
    expect(covers(outer, inner)).toBe(expected)
  })

  /** Blocks within 192.0.2.0/24, whose 256 addresses can be enumerated. */
  const blocks = fc.array(
    fc
      .tuple(fc.nat(255), fc.integer({ min: 24, max: 32 }))
      .map(([last, length]) => cidr.parse(`192.0.2.${last}/${length}`)),
    { minLength: 1, maxLength: 6 },
  )
  const listAddresses = (cidrs: readonly string[]) =>
    new Set(
      cidrs.flatMap((text) => {
        const block = parseAddressBlock(text)
        const count = 2 ** (32 - (block?.length ?? 32))
        return Array.from({ length: count }, (_, i) => Number((block?.first ?? 0n) & 0xffn) + i)
      }),
    )

  test('agrees with a comparison of every address', () => {
    fc.assert(
      fc.property(blocks, blocks, (outer, inner) => {
        const allowed = listAddresses(outer)
        expect(covers(outer, inner)).toBe([...listAddresses(inner)].every((address) => allowed.has(address)))
      }),
      { numRuns: 500 },
    )
  })
})

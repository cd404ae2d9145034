import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { classifyAddress } from '../src/address.ts'

const written = {
  public: [
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '64:ff9b::808:808',
    '::ffff:8.8.8.8',
  ],
  private: [
    ...['10.0.0.1', '127.0.0.1', '127.255.255.254', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1'],
    ...['::1', 'fc00::1', 'fdff::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1', '64:ff9b::a00:1'],
  ],
  forbidden: [
    ...['0.0.0.0', '169.254.169.254', '169.254.0.1', '168.63.129.16', '100.100.100.200', '192.0.0.192', '192.0.2.1'],
    ...['198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '192.88.99.1'],
    ...['::', '::7f00:1', '::127.0.0.1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '2001::1', '2001:db8::1'],
    ...['2002:7f00:1::1', '3fff::1', '4000::1', '64:ff9b:1::1', 'fd00:ec2::254', '::ffff:169.254.169.254'],
    ...['64:ff9b::a9fe:a9fe', '', 'localhost', 'example.com', '[::1]', '::1 ', '999.1.1.1'],
  ],
} as const

describe('kindOfAddress', () => {
  const cases = Object.entries(written).flatMap(([kind, list]) => list.map((address) => [address, kind] as const))
  test.each(cases)('%s is %s', (address, kind) => {
    expect(classifyAddress(address)).toBe(kind)
  })

  const byte = fc.integer({ min: 0, max: 255 })
  const v4 = fc.tuple(byte, byte, byte, byte)

  test('classifies an IPv4 address embedded in an IPv6 address as the IPv4 address', () => {
    fc.assert(
      fc.property(v4, ([a, b, c, d]) => {
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
        const plain = classifyAddress(`${a}.${b}.${c}.${d}`)
        const embedded = [`::ffff:${a}.${b}.${c}.${d}`, `::ffff:${hex}`, `0:0:0:0:0:ffff:${hex}`, `64:ff9b::${hex}`]
        expect(embedded.map(classifyAddress)).toEqual([plain, plain, plain, plain])
      }),
    )
  })

  test('classifies 6to4, Teredo and IPv4-compatible addresses as not public', () => {
    fc.assert(
      fc.property(v4, ([a, b, c, d]) => {
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
        const kinds = [`2002:${hex}::1`, `2001:0:${hex}::1`, `::${hex}`].map(classifyAddress)
        expect(kinds).not.toContain('public')
      }),
    )
  })

  test('outside 2000::/3, only IPv6 addresses that embed a public IPv4 address are public', () => {
    const group = fc.integer({ min: 0, max: 0xffff })
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        fc.pre(((groups[0] ?? 0) & 0xe000) !== 0x2000 && groups[0] !== 0 && groups[0] !== 0x64)
        expect(classifyAddress(groups.map((one) => one.toString(16)).join(':'))).not.toBe('public')
      }),
    )
  })

  test('never throws, and forbids text that is not an address', () => {
    fc.assert(
      fc.property(fc.string(), (text) => expect(['forbidden', 'public', 'private']).toContain(classifyAddress(text))),
    )
    fc.assert(fc.property(fc.domain(), (name) => expect(classifyAddress(name)).toBe('forbidden')))
  })
})

import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { classifyAddress } from '../src/address.ts'
import { destinationViolation, lookupViolation } from '../src/destination.ts'

const strict = { allowPrivate: false }
const lax = { allowPrivate: true }

describe('destinationViolation', () => {
  test.each([
    'https://example.com',
    'https://example.com/hook?a=1&b=%20',
    'https://example.com:443/',
    'https://example.com:8443/x',
    'https://EXAMPLE.com./x',
    'https://xn--bcher-kva.example.com/',
    'https://internal.example.com/',
    'https://hook.notlocal/',
    'https://home.arpa.example.com/',
  ])('accepts %s', (url) => {
    expect(destinationViolation(url, strict)).toBeUndefined()
  })

  test.each([
    ['http://example.com', 'https'],
    ['ftp://example.com', 'https'],
    ['javascript:alert(1)', 'https'],
    ['https:example.com', 'https://'],
    ['example.com', 'URL'],
    ['', 'URL'],
    ['https://exa mple.com', 'URL'],
    ['https://exam\nple.com', 'URL'],
    [' https://example.com', 'URL'],
    ['https:\\\\example.com', 'URL'],
    ['https://user@example.com', 'user name'],
    ['https://:secret@example.com', 'user name'],
    ['https://example.com#x', 'fragment'],
    ['https://example.com:22', 'port'],
    ['https://example.com:80', 'port'],
    ['https://93.184.216.34/', 'IP address'],
    ['https://2130706433/', 'IP address'],
    ['https://0x7f.1/', 'IP address'],
    ['https://017700000001/', 'IP address'],
    ['https://127.0.0.1./', 'IP address'],
    ['https://１２７.0.0.1/', 'IP address'],
    ['https://[::1]/', 'IP address'],
    ['https://[::ffff:127.0.0.1]/', 'IP address'],
    ['https://localhost/', 'public host'],
    ['https://LOCALHOST./', 'public host'],
    ['https://a.localhost/', 'public host'],
    ['https://intranet/', 'public host'],
    ['https://intranet./', 'public host'],
    ['https://printer.local/', 'public host'],
    ['https://db.internal/', 'public host'],
    ['https://DB.Internal./', 'public host'],
    ['https://db.internal../', 'public host'],
    ['https://metadata.google.internal/', 'public host'],
    ['https://router.home.arpa/', 'public host'],
    ['https://home.arpa/', 'public host'],
    ['https://a.b.invalid/', 'public host'],
    ['https://hook.test/', 'public host'],
    ['https://receiver.example/', 'public host'],
    ['https://expyuzz4wqqyqhjn.onion/', 'public host'],
    [`https://example.com/${'x'.repeat(2048)}`, '2048'],
  ])('rejects %s with the reason', (url, why) => {
    expect(destinationViolation(url, strict)).toContain(why)
  })

  test.each([
    'http://127.0.0.1:9999/x',
    'http://localhost:1',
    'https://[::1]:7/',
    'http://10.0.0.7',
    'http://intranet',
    'http://db.internal',
    'http://hook.test:1/',
  ])('accepts %s in development', (url) => {
    expect(destinationViolation(url, lax)).toBeUndefined()
  })

  test.each([
    'http://169.254.169.254/latest/meta-data',
    'http://[fe80::1]/',
    'http://2852039166/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://0.0.0.0/',
    'http://168.63.129.16/',
    'ftp://127.0.0.1',
    'http://user@127.0.0.1',
  ])('rejects %s even in development', (url) => {
    expect(destinationViolation(url, lax)).toEqual(expect.any(String))
  })

  test('accepts only https URLs with a host name and port 443 or 8443', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.webUrl(), fc.webUrl({ withFragments: true, withQueryParameters: true }), fc.string()),
        (url) => {
          if (destinationViolation(url, strict) !== undefined) return
          const { protocol, port, hostname } = new URL(url)
          expect(protocol).toBe('https:')
          expect(['', '443', '8443']).toContain(port)
          expect(hostname).toMatch(/[a-z]/)
        },
      ),
    )
  })
})

describe('a disguised address', () => {
  const byte = fc.integer({ min: 0, max: 255 })
  const group = fc.integer({ min: 0, max: 0xffff })
  const radices = [(n: number) => `${n}`, (n: number) => `0x${n.toString(16)}`, (n: number) => `0${n.toString(8)}`]
  const fullWidth = (text: string) =>
    text.replaceAll(/[0-9a-fx.]/g, (c) => String.fromCodePoint(0xfee0 + c.charCodeAt(0)))

  /** Every form of an IPv4 address in the URL standard: 1 to 4 parts, each decimal, hexadecimal or octal. */
  const v4Forms = fc
    .record({
      bytes: fc.tuple(byte, byte, byte, byte),
      parts: fc.integer({ min: 1, max: 4 }),
      radix: fc.infiniteStream(fc.constantFrom(...radices)),
      ending: fc.constantFrom('', '.'),
      disguise: fc.constantFrom(
        (text: string) => text,
        fullWidth,
        (text: string) => text.toUpperCase(),
      ),
    })
    .map(({ bytes, parts, radix, ending, disguise }) => {
      const leading = bytes.slice(0, parts - 1)
      const rest = bytes.slice(parts - 1).reduce((sum, one) => sum * 256 + one, 0)
      const text = [...leading, rest].map((n) => radix.next().value?.(n)).join('.')
      return { host: `${disguise(text)}${ending}`, plain: bytes.join('.') }
    })

  test('an IPv4 address is rejected in every form, and classified correctly in development', () => {
    fc.assert(
      fc.property(v4Forms, ({ host, plain }) => {
        expect(destinationViolation(`https://${host}/`, strict)).toContain('IP address')
        const rejected = destinationViolation(`https://${host}/`, lax) !== undefined
        expect([host, rejected]).toEqual([host, classifyAddress(plain) === 'forbidden'])
      }),
    )
  })

  test('an IPv6 address is rejected in every form, and classified correctly in development', () => {
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), fc.boolean(), (groups, padded) => {
        const written = groups.map((one) => one.toString(16).padStart(padded ? 4 : 1, '0')).join(':')
        expect(destinationViolation(`https://[${written}]/`, strict)).toContain('IP address')
        const rejected = destinationViolation(`https://[${written}]/`, lax) !== undefined
        expect(rejected).toBe(classifyAddress(written) === 'forbidden')
      }),
    )
  })

  test.each([
    'https://[fe80::1%25eth0]/',
    'https://[fe80::1%eth0]/',
    'https://[::1%25lo]/',
    'https://[::1/',
    'https://::1/',
    'https://256.256.256.256/',
    'https://127.0.0.1.1/',
    'https://0x100000000/',
    'https://1.2.3.08/',
    'https://xn--a/',
  ])('%s is rejected in every environment', (url) => {
    expect(destinationViolation(url, strict)).toEqual(expect.any(String))
  })

  test.each([
    ['https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/', 'public host'],
    ['https://db。ｉｎｔｅｒｎａｌ/', 'public host'],
    ['https://db.ⓘⓝⓣⓔⓡⓝⓐⓛ．/', 'public host'],
    ['https://db.inter\u00adnal/', 'public host'],
    ['https://bücher.ＴＥＳＴ/', 'public host'],
    ['https://db%2Einternal/', 'public host'],
    ['https://loc\u00adalhost/', 'public host'],
    ['https://127。0。0。1/', 'IP address'],
    ['https://%31%32%37.0.0.1/', 'IP address'],
  ])('%s is recognized', (url, why) => {
    expect(destinationViolation(url, strict)).toContain(why)
  })

  test('uses the ports of the configuration', () => {
    const rules = { allowPrivate: false, ports: [443, 4443] }
    expect(destinationViolation('https://example.com:4443/', rules)).toBeUndefined()
    expect(destinationViolation('https://example.com/', rules)).toBeUndefined()
    expect(destinationViolation('https://example.com:8443/', rules)).toContain('443 or 4443')
    expect(destinationViolation('https://example.com/', { ...rules, ports: [8443] })).toContain('8443')
  })
})

describe('lookupViolation', () => {
  test('rejects a lookup with one forbidden address among public ones', () => {
    expect(lookupViolation(['8.8.8.8', '2606:4700::1111'], strict)).toBeUndefined()
    expect(lookupViolation(['8.8.8.8', '127.0.0.1'], strict)).toContain('not public')
    expect(lookupViolation(['127.0.0.1', '::1'], lax)).toBeUndefined()
    expect(lookupViolation(['127.0.0.1', '169.254.169.254'], lax)).toContain('not public')
    expect(lookupViolation([], strict)).toContain('no address')
  })
})

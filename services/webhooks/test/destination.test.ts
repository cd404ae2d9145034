import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { destinationViolation, lookupViolation } from '../src/domain/destination.ts'

const strict = { allowPrivate: false }
const lax = { allowPrivate: true }

describe('destinationViolation', () => {
  test.each([
    'https://example.com',
    'https://example.com/hook?a=1&b=%20',
    'https://example.com:443/',
    'https://example.com:8443/x',
    'https://EXAMPLE.com./x',
    'https://xn--bcher-kva.example/',
  ])('takes %s', (url) => {
    expect(destinationViolation(url, strict)).toBeUndefined()
  })

  test.each([
    ['http://example.com', 'https'],
    ['ftp://example.com', 'https'],
    ['javascript:alert(1)', 'https'],
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
    [`https://example.com/${'x'.repeat(2048)}`, '2048'],
  ])('refuses %s and says why', (url, why) => {
    expect(destinationViolation(url, strict)).toContain(why)
  })

  test.each([
    'http://127.0.0.1:9999/x',
    'http://localhost:1',
    'https://[::1]:7/',
    'http://10.0.0.7',
    'http://intranet',
  ])('takes %s in development', (url) => {
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
  ])('refuses %s even in development', (url) => {
    expect(destinationViolation(url, lax)).toEqual(expect.any(String))
  })

  test('what it takes is always https, on 443 or 8443, to a name', () => {
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

describe('lookupViolation', () => {
  test('one forbidden address among public ones is enough', () => {
    expect(lookupViolation(['8.8.8.8', '2606:4700::1111'], strict)).toBeUndefined()
    expect(lookupViolation(['8.8.8.8', '127.0.0.1'], strict)).toContain('not public')
    expect(lookupViolation(['127.0.0.1', '::1'], lax)).toBeUndefined()
    expect(lookupViolation(['127.0.0.1', '169.254.169.254'], lax)).toContain('not public')
    expect(lookupViolation([], strict)).toContain('no address')
  })
})

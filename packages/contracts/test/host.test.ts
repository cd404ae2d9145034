import { expect, test } from '@jest/globals'
import { hostAndPort, readHostAndPort, urlText } from '../src/grammar/host.ts'
import { invitationFields } from '../src/nouns/invitation.ts'
import { businessUnitContract } from '../src/services/business-unit/contract.ts'
import { webhooks } from '../src/services/webhooks/contract.ts'

const unusable = [
  'https://*.example.com/',
  'https://a.example.com,b.example.com/',
  'https://a.example.com;b/',
  "https://a.example.com'/",
  'https://a(b).example.com/',
  'https://a!b.example.com/',
  'https://a%2Cb.example.com/',
  'https://example.com../',
  'https://-a.example.com/',
]

test.each(unusable)('no URL has the host of %s', (url) => {
  expect(urlText.safeParse(url).success).toBe(false)
  const { endpoints } = businessUnitContract
  const { createPaymentOrchestrator, updatePaymentOrchestrator, createBusinessUnit } = endpoints
  const orchestrator = { name: 'x', payment_gateway: 'http', mode: 'live' }
  for (const field of ['gateway_url', 'iframe_url', 'tokenizer_url']) {
    expect(createPaymentOrchestrator.body.safeParse({ ...orchestrator, [field]: url }).success).toBe(false)
    expect(updatePaymentOrchestrator.body.safeParse({ [field]: url }).success).toBe(false)
  }
  const unit = { name: 'x', timezone_name: 'UTC', branding: { logo_url: url } }
  expect(createBusinessUnit.body.safeParse(unit).success).toBe(false)
  expect(invitationFields.return_url.safeParse(url).success).toBe(false)
  const { body } = webhooks.endpoints.createSubscription
  expect(body.safeParse({ destination_url: url }).success).toBe(false)
})

test('a URL loses the dot at the end of its host, and no other character', () => {
  expect(urlText.parse('https://example.com./a?b#c')).toBe('https://example.com/a?b#c')
  expect(invitationFields.return_url.parse('HTTPS://Bücher.Example.com.:8443')).toBe(
    'https://xn--bcher-kva.example.com:8443/',
  )
  const asWritten = ['https://example.com/.', 'https://example.com?q=a.', 'https://[2001:db8::1]/', 'mailto:a@b.c.']
  expect(asWritten.map((url) => urlText.parse(url))).toEqual(asWritten)
})

test.each([
  'HTTPS://EXAMPLE.COM/Path',
  'https://bücher.example.com/',
  'https://example.com:8443',
  'https://example.com',
  'https://xn--bcher-kva.example.com/x',
  'https://[2001:db8::1]:8443/',
  'https://1.2.3.4/',
  'https://a_b.example.com',
])('a URL has the host of %s', (url) => {
  expect(urlText.safeParse(url).success).toBe(true)
})

test.each([
  ['https://Example.com/x', 'example.com'],
  ['https://example.com:443/', 'example.com'],
  ['https://example.com:8443/', 'example.com:8443'],
  ['http://example.com/', 'example.com:80'],
  ['http://localhost:443/', 'localhost'],
  ['https://localhost./', 'localhost.'],
])('%s is sent to %s', (url, expected) => {
  expect(readHostAndPort(url)).toBe(expected)
})

test.each([
  ['Example.com.', 'example.com'],
  ['example.com:443', 'example.com'],
  ['example.com:08443', 'example.com:8443'],
  ['localhost:80', 'localhost:80'],
])('the host %s is stored as %s', (written, stored) => {
  expect(hostAndPort.parse(written)).toBe(stored)
})

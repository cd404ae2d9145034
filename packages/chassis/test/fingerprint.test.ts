import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { fingerprintRequest, isSameRequest } from '../src/request/fingerprint.ts'

const body = z.strictObject({
  amount: z.int(),
  reference: z.string().trim(),
  at: z.string().transform((value) => new Date(value)),
  items: z.array(z.strictObject({ name: z.string(), quantity: z.int() })).transform((items) => new Set(items)),
  capture: z.boolean().default(false),
})
const sent = { amount: 1, reference: 'A-1', at: '2026-01-01T00:00:00Z', items: [{ name: 'a', quantity: 2 }] }

function fingerprint(given: object = sent, { path = '/v1/payments', query = {} } = {}): string {
  const request = { originalUrl: `${path}?${JSON.stringify(query)}`, body: given }
  return fingerprintRequest({ method: 'POST', path: '/v1/payments' }, request, {
    params: { path },
    query,
    body: body.parse(given),
  })
}

test.each<[string, object]>([
  ['members in another order', Object.fromEntries(Object.entries(sent).reverse())],
  ['members of a nested object in another order', { ...sent, items: [{ quantity: 2, name: 'a' }] }],
  ['a default that is spelled out', { ...sent, capture: false }],
  ['white space that parsing removes', { ...sent, reference: 'A-1 ' }],
  ['another spelling of an instant', { ...sent, at: '2026-01-01T01:00:00+01:00' }],
])('%s: the same request', (_, given) => {
  expect(isSameRequest(fingerprint(), fingerprint(given))).toBe(true)
})

test.each<[string, object, Parameters<typeof fingerprint>[1]]>([
  ['another amount', { ...sent, amount: 2 }, {}],
  ['another default', { ...sent, capture: true }, {}],
  ['another instant', { ...sent, at: '2026-01-01T00:00:01Z' }, {}],
  ['items in another number', { ...sent, items: [] }, {}],
  ['another path', sent, { path: '/v1/refunds' }],
  ['another query', sent, { query: { dry: true } }],
])('%s: another request', (_, given, target) => {
  expect(isSameRequest(fingerprint(), fingerprint(given, target))).toBe(false)
})

test('knows a request whose defaults another release added', () => {
  const [asSent = '', asParsed = ''] = fingerprint().split(' ')
  expect(isSameRequest(`${asSent} other`, fingerprint())).toBe(true)
  expect(isSameRequest(`other ${asParsed}`, fingerprint())).toBe(true)
  expect(isSameRequest('other other', fingerprint())).toBe(false)
})

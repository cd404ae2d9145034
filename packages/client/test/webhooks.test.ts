import { createHmac, randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { verifyWebhook, WebhookVerificationError } from '../src/webhooks.ts'

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const secret = newSecret()
const now = new Date('2026-01-01T00:00:00.400Z')
const id = '0191e4a2-6eff-7a08-a3be-5f6ac54d1e22'
const event = {
  trace_id: '0191e4a2-6f00-7c31-9f1c-2a7d5b1c0e11',
  tenant_id: '0191e4a2-0000-7d11-8c55-91b6e0a7c001',
  event_type: 'payment-proxy.transactions.capture',
  metadata: { payload: { note: 'für 19,99 €' }, business_unit_id: '0191e4a2-0000-7d11-8c55-91b6e0a7c002' },
  tenant_event_id: id,
}
const body = JSON.stringify(event)

/** Headers as the public library of Standard Webhooks signs them. */
function signed(text = body, at = now, ...secrets: string[]): Record<string, string> {
  const signatures = (secrets.length === 0 ? [secret] : secrets).map((one) => new Webhook(one).sign(id, at, text))
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': signatures.join(' '),
  }
}

const secondsLater = (seconds: number) => new Date(now.getTime() + seconds * 1_000)
const readReason = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    (error: unknown) => (error instanceof WebhookVerificationError ? error.reason : error),
  )

test('returns the event of a delivery that the public library signed', async () => {
  expect(await verifyWebhook(body, signed(), secret, { now })).toEqual(event)
})

test('accepts bytes, Headers and header names in any case', async () => {
  expect(await verifyWebhook(Buffer.from(body), new Headers(signed()), secret, { now })).toEqual(event)
  const upper = Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]))
  expect(await verifyWebhook(new Uint8Array(Buffer.from(body)), upper, secret, { now })).toEqual(event)
})

test('uses the clock of the machine by default', async () => {
  expect(await verifyWebhook(body, signed(body, new Date()), secret)).toEqual(event)
  expect(await readReason(verifyWebhook(body, signed(), secret))).toBe('timestamp_too_old')
})

test('during a rotation one of several signatures and one of several secrets are enough', async () => {
  const next = newSecret()
  const both = signed(body, now, next, secret)
  for (const secrets of [secret, next, [newSecret(), secret]]) {
    expect(await verifyWebhook(body, both, secrets, { now })).toEqual(event)
  }
  expect(await readReason(verifyWebhook(body, both, [newSecret(), newSecret()], { now }))).toBe('invalid_signature')
})

test('signatures of other versions and malformed ones are skipped', async () => {
  const headers = signed()
  const others = `v2,${'A'.repeat(43)}= v1a,x v1,not*base64 v1, ${headers['webhook-signature']}`
  expect(await verifyWebhook(body, { ...headers, 'webhook-signature': others }, secret, { now })).toEqual(event)
  const otherVersion = { ...headers, 'webhook-signature': String(headers['webhook-signature']).replace('v1,', 'v2,') }
  expect(await readReason(verifyWebhook(body, otherVersion, secret, { now }))).toBe('invalid_signature')
  const none = { ...headers, 'webhook-signature': others.slice(0, -5) }
  expect(await readReason(verifyWebhook(body, none, secret, { now }))).toBe('invalid_signature')
})

interface Change {
  text?: string
  id?: string
  timestampSeconds?: number
  by?: string
}

test.each<[string, Change, boolean]>([
  ['nothing', {}, true],
  ['the body', { text: body.replace('19,99', '0,01') }, false],
  ['the bytes of the body', { text: JSON.stringify(event, null, 1) }, false],
  ['the id', { id: 'another' }, false],
  ['the timestamp', { timestampSeconds: 1 }, false],
  ['the secret', { by: newSecret() }, false],
])(
  'a delivery with a change of %s has the same result as with the public library',
  async (_what, change, isAuthentic) => {
    const at = new Date()
    const { text = body, timestampSeconds = 0, by = secret } = change
    const headers = {
      ...signed(body, at),
      ...(change.id === undefined ? {} : { 'webhook-id': change.id }),
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000) + timestampSeconds),
    }
    expect(await readReason(verifyWebhook(text, headers, by))).toBe(isAuthentic ? 'accepted' : 'invalid_signature')
    const oracle = () => new Webhook(by).verify(text, headers)
    if (isAuthentic) expect(oracle()).toEqual(event)
    else expect(oracle).toThrow()
  },
)

test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('rejects a delivery without %s', async (name) => {
  for (const value of [undefined, '', ['a', 'b']]) {
    const headers = { ...signed(), [name]: value }
    expect(await readReason(verifyWebhook(body, headers, secret, { now }))).toBe('missing_header')
  }
})

test('the tolerance is five minutes to both sides, or that which is given', async () => {
  const at = (seconds: number, toleranceSeconds?: number) =>
    readReason(verifyWebhook(body, signed(), secret, { now: secondsLater(seconds), toleranceSeconds }))
  expect(await Promise.all([300, 301, -300, -301].map((seconds) => at(seconds)))).toEqual([
    'accepted',
    'timestamp_too_old',
    'accepted',
    'timestamp_too_new',
  ])
  expect(await Promise.all([at(10, 10), at(11, 10), at(-11, 10)])).toEqual([
    'accepted',
    'timestamp_too_old',
    'timestamp_too_new',
  ])
})

test.each(['', ' ', '1.5', '-1', '0x10', '1e9', 'NaN', '9'.repeat(13)])(
  'rejects the timestamp %j',
  async (timestamp) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
    const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
    const expected = timestamp === '' ? 'missing_header' : 'invalid_timestamp'
    expect(await readReason(verifyWebhook(body, headers, secret, { now }))).toBe(expected)
  },
)

test.each(['', 'null', '[]', '{}', '{"event_type":"a"}', '{'])(
  'rejects the authentic body %j, no event',
  async (text) => {
    expect(await readReason(verifyWebhook(text, signed(text), secret, { now }))).toBe('invalid_body')
  },
)

test('rejects more signatures than a delivery can have', async () => {
  const many = Array.from({ length: 21 }, () => signed()['webhook-signature']).join(' ')
  const headers = { ...signed(), 'webhook-signature': many }
  expect(await readReason(verifyWebhook(body, headers, secret, { now }))).toBe('invalid_signature')
})

test.each([
  ['a parsed body', [event, signed(), secret], 'body must be the raw body'],
  ['no secret', [body, signed(), []], 'secrets must be'],
  ['an empty secret', [body, signed(), ''], 'a secret must be'],
  ['a short secret', [body, signed(), `whsec_${randomBytes(8).toString('base64')}`], 'a secret must be'],
  ['a secret that is not base64', [body, signed(), 'whsec_*****'], 'a secret must be'],
  ['a masked secret', [body, signed(), ['whsec_…abcd']], 'a secret must be'],
  ['a bad tolerance', [body, signed(), secret, { toleranceSeconds: Number.NaN }], 'toleranceSeconds must be'],
  ['a bad clock', [body, signed(), secret, { now: new Date('never') }], 'now must be'],
])('a misconfigured receiver is no WebhookVerificationError: %s', async (_what, args, message) => {
  const verification = verifyWebhook(...(args as unknown as Parameters<typeof verifyWebhook>))
  const error = await verification.catch((caught: unknown) => caught)
  expect(error).not.toBeInstanceOf(WebhookVerificationError)
  expect(error).toMatchObject({ message: expect.stringContaining(message) })
})

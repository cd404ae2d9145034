import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { stripeVersion } from '../src/connectors/stripe/api.ts'
import { challengeSuite } from './challenge-suite.ts'
import { payment } from './connector-payment.ts'
import { connectorSuite } from './connector-suite.ts'
import { signWebhook, stripeFixture } from './stripe-stand-in/fixture.ts'
import { createId, nowSeconds } from './stripe-stand-in/payment-intents.ts'

const stripe = stripeFixture()
const { fixture, at } = stripe

const lost = (fault: string) => ({
  authorize: `pm_card_${fault}`,
  capture: `pm_card_capture_${fault}`,
  refund: `pm_card_refund_${fault}`,
})

connectorSuite(
  {
    success: 'pm_card_visa',
    declines: {
      pm_card_declined_generic_decline: 'card_declined',
      pm_card_declined_do_not_honor: 'do_not_honor',
      pm_card_declined_insufficient_funds: 'insufficient_funds',
      pm_card_declined_expired_card: 'expired_card',
      pm_card_declined_incorrect_cvc: 'incorrect_cvc',
      pm_card_declined_incorrect_number: 'incorrect_number',
      pm_card_declined_stolen_card: 'lost_or_stolen',
      pm_card_declined_fraudulent: 'suspected_fraud',
      pm_card_declined_transaction_not_allowed: 'transaction_not_permitted',
      pm_card_declined_card_velocity_exceeded: 'amount_limit_exceeded',
      pm_card_declined_currency_not_supported: 'currency_not_supported',
      pm_card_declined_authentication_required: 'authentication_required',
      pm_card_declined_issuer_not_available: 'issuer_unavailable',
      pm_card_declined_processing_error: 'processing_error',
      pm_card_declined_some_new_code: 'card_declined',
    },
    lost: { applied: lost('lost_applied'), not_applied: lost('lost_not_applied') },
    slow: 'pm_card_slow',
  },
  fixture,
  { rejectsLateRequests: false, sendsWebhooks: true, capturesManyParts: false },
)

challengeSuite({ challenge: 'pm_card_authenticationRequired', lost: 'pm_card_authenticationRequired_lost' }, fixture, {
  webhooks: 'changed',
})

test('an operation that Stripe does not have is unknown while a request can still be in flight', async () => {
  const paying = payment(fixture())
  const { authorizationId } = paying
  expect((await paying.sync('authorize', authorizationId, 10_000)).kind).toBe('unknown')
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  expect((await paying.sync('authorize', authorizationId, 10_000, minutesAgo(14))).kind).toBe('unknown')
  expect((await paying.sync('authorize', authorizationId, 10_000, minutesAgo(16))).kind).toBe('not_attempted')
})

test('a sync finds the authorization on a later page of the list', async () => {
  const { connector, ...rest } = fixture()
  const account = rest.account()
  const one = { connector, ...rest, account: () => account }
  const first = payment(one)
  await first.authorize('pm_card_visa')
  for (let further = 0; further < 4; further += 1) await payment(one).authorize('pm_card_visa')
  const outcome = await first.sync('authorize', first.authorizationId, 10_000)
  expect(outcome).toMatchObject({ kind: 'succeeded', paymentMethod: { last4: '4242' } })
})

test('a void is found, and one of a captured payment was not attempted', async () => {
  const [voided, captured] = [payment(fixture()), payment(fixture())]
  await voided.authorize('pm_card_visa')
  await voided.void(10_000)
  expect(await voided.sync('void', randomUUID(), 10_000)).toMatchObject({ kind: 'succeeded', amount: 10_000 })
  expect(await voided.void(10_000)).toMatchObject({ kind: 'succeeded', amount: 10_000 })
  await captured.authorize('pm_card_visa')
  await captured.capture(10_000)
  expect((await captured.sync('void', randomUUID(), 10_000)).kind).toBe('not_attempted')
  expect((await captured.sync('capture', randomUUID(), 10_000)).kind).toBe('not_attempted')
})

describe('declines, and sends nothing', () => {
  test.each([
    ['a three-decimal amount that is no multiple of 10', { currency: 'KWD', amount: 1_234 }, 'amount_limit_exceeded'],
    ['ISK', { currency: 'ISK', amount: 500 }, 'currency_not_supported'],
    ['UGX', { currency: 'UGX', amount: 500 }, 'currency_not_supported'],
    ['MGA', { currency: 'MGA', amount: 500 }, 'currency_not_supported'],
  ])('%s', async (_what, order, declineCode) => {
    const before = stripe.calls().length
    expect(await payment(fixture(), order).authorize('pm_card_visa')).toMatchObject({ kind: 'declined', declineCode })
    expect(stripe.calls().length).toBe(before)
  })
})

test('a token that Stripe does not know is declined as such', async () => {
  const outcome = await payment(fixture()).authorize('pm_unknown')
  expect(outcome).toMatchObject({ kind: 'declined', declineCode: 'token_invalid', providerCode: 'resource_missing' })
})

test.each(['busy', 'forbidden'])('an operation that Stripe rejected unread is not attempted: %s', async (fault) => {
  expect((await payment(fixture()).authorize(`pm_card_${fault}`)).kind).toBe('not_attempted')
})

test('an error of Stripe has no outcome', async () => {
  await expect(payment(fixture()).authorize('pm_card_error')).rejects.toThrow('500')
})

test('without its PaymentIntent nothing is attempted, which is a failure of Stripe only if it cannot be read', async () => {
  const paying = payment(fixture())
  await paying.authorize('pm_card_visa')
  const { connector } = fixture()
  const command = {
    account: { ...paying.account, gatewayUrl: 'http://127.0.0.1:1' },
    operationId: randomUUID(),
    startedAt: new Date(),
    authorizationId: paying.authorizationId,
    authorizationReference: 'pi_1',
    providerReference: null,
    type: 'void',
    amount: 10_000,
    amountReleased: 0,
    currency: 'EUR',
  } as const
  const { signal } = new AbortController()
  const unread = { kind: 'not_attempted', reason: expect.stringContaining('was not read') }
  expect(await connector.execute({ ...command, type: 'capture' }, signal)).toEqual(unread)
  expect(await connector.execute(command, signal)).toEqual(unread)
  const unknown = { kind: 'not_attempted', isOfOperation: true }
  expect(await connector.execute({ ...command, account: paying.account }, signal)).toMatchObject(unknown)
  expect(await connector.execute({ ...command, type: 'refund', authorizationReference: null }, signal)).toMatchObject(
    unknown,
  )
  await expect(connector.sync({ ...command, type: 'capture' }, signal)).rejects.toThrow('was not sent')
})

test('a refund that fails later is declined by its webhook and its sync', async () => {
  const paying = payment(fixture())
  await paying.authorize('pm_card_visa')
  await paying.capture(10_000)
  const refundId = randomUUID()
  await paying.refund(10_000, refundId)
  const [refund] = at(paying.account).refunds
  if (refund === undefined) throw new Error('Stripe has no refund')
  Object.assign(refund, { status: 'failed', failure_reason: 'expired_or_canceled_card' })
  const request = signWebhook(paying.account, {
    id: createId('evt'),
    object: 'event',
    type: 'refund.failed',
    created: nowSeconds(),
    data: { object: refund },
  })
  const outcome = { kind: 'declined', providerReference: refund.id, providerCode: 'expired_or_canceled_card' }
  expect(fixture().connector.parseWebhook?.(paying.account, request)).toMatchObject({
    kind: 'event',
    event: { operationId: refundId, outcome },
  })
  expect(await paying.sync('refund', refundId, 10_000)).toMatchObject(outcome)
})

test('ignores genuine events that concern no operation of the platform', async () => {
  const paying = payment(fixture())
  const event = {
    id: createId('evt'),
    object: 'event',
    type: 'payout.paid',
    created: nowSeconds(),
    data: { object: {} },
  }
  expect(fixture().connector.parseWebhook?.(paying.account, signWebhook(paying.account, event)).kind).toBe('ignored')
})

test('recognizes tokens of Stripe only', () => {
  const { recognizes } = fixture().connector
  expect(
    ['pm_card_visa', 'pm_1NxYz', 'tok_sandbox_visa', 'pm_', 'pm_a b', ''].map((token) => recognizes(token)),
  ).toEqual([true, true, false, false, false, false])
})

/**
 * Fails by the calendar alone. Then read https://docs.stripe.com/changelog for breaking changes since the pinned
 * version in PaymentIntents, Refunds, Events and webhooks. Raise the version here (`src/connectors/stripe/api.ts`), in
 * the stand-in and in docs/connectors.md, and pay once with a test key of Stripe.
 */
test('the pinned version of the API of Stripe is younger than 18 months', () => {
  const pinned = new Date(stripeVersion.slice(0, 10))
  const oldest = new Date()
  oldest.setUTCMonth(oldest.getUTCMonth() - 18)
  expect({ stripeVersion, isYoung: pinned > oldest }).toEqual({ stripeVersion, isYoung: true })
})

import { describe, expect, test } from '@jest/globals'
import { payment } from './connector-payment.ts'
import { signWebhook, stripeFixture } from './stripe-stand-in/fixture.ts'
import { createId, type Intent, nowSeconds } from './stripe-stand-in/payment-intents.ts'

const stripe = stripeFixture()
const { fixture, at } = stripe

const returnUrl = 'https://shop.example.com/orders/1'
const { signal } = new AbortController()
const challenge = 'pm_card_authenticationRequired'

/** An authorization with an address to return to, and its PaymentIntent. */
async function returning(token = challenge) {
  const paying = payment(fixture())
  const outcome = await paying.authorize(token, signal, returnUrl)
  const { intents } = at(paying.account)
  return { ...paying, outcome, intent: () => intents[0] as Intent }
}

describe('the request of an authorization', () => {
  const postedFields = async (address: string | null) => {
    const before = stripe.calls().length
    await payment(fixture()).authorize('pm_card_visa', signal, address)
    return new URLSearchParams(stripe.calls()[before]?.body)
  }

  test('with an address to return to selects a page of Stripe, and leaves 3-D Secure to Stripe', async () => {
    const fields = await postedFields(returnUrl)
    expect(fields.get('return_url')).toBe(returnUrl)
    const absent = [
      'error_on_requires_action',
      'use_stripe_sdk',
      'payment_method_options[card][request_three_d_secure]',
    ]
    expect(absent.filter((name) => fields.has(name))).toEqual([])
  })

  test('without one rejects an action', async () => {
    const fields = await postedFields(null)
    expect([fields.get('error_on_requires_action'), fields.has('return_url')]).toEqual(['true', false])
    expect([...fields.keys()].filter((name) => name.includes('payer_action'))).toEqual([])
  })
})

describe('an action without a page', () => {
  const noPage = `${challenge}_sdk`

  test('is canceled at Stripe, and declined with authentication_required', async () => {
    const { outcome, intent } = await returning(noPage)
    expect(outcome).toMatchObject({
      kind: 'declined',
      declineCode: 'authentication_required',
      providerCode: 'use_stripe_sdk',
    })
    expect(intent()).toMatchObject({ status: 'canceled' })
  })

  test('found by a sync, is canceled too', async () => {
    const { intent, ...paying } = await returning()
    Object.assign(intent(), { next_action: { type: 'use_stripe_sdk' } })
    expect(await paying.read()).toMatchObject({ kind: 'declined', declineCode: 'authentication_required' })
    expect(intent()).toMatchObject({ status: 'canceled' })
  })
})

describe('a decline after the page', () => {
  test('is reported once the PaymentIntent is canceled: the payer cannot confirm it with its client secret', async () => {
    const { intent, ...paying } = await returning()
    await paying.decide('decline')
    expect(intent()).toMatchObject({ status: 'requires_payment_method' })
    expect(await paying.read()).toMatchObject({ declineCode: 'authentication_failed' })
    await paying.decide('confirm')
    expect(intent()).toMatchObject({ status: 'canceled', amount_capturable: 0 })
  })

  test('of the card has the authentication', async () => {
    const { intent, ...paying } = await returning(`${challenge}ChargeDeclinedInsufficientFunds`)
    await paying.decide('confirm')
    const authentication = { version: '2.2.0', result: 'authenticated', eci: '05', transaction_id: expect.any(String) }
    expect(await paying.read()).toMatchObject({ kind: 'declined', declineCode: 'insufficient_funds', authentication })
    expect(intent()).toMatchObject({ status: 'canceled' })
  })

  test('is unknown while Stripe may not have canceled it', async () => {
    const { intent, ...paying } = await returning(`${challenge}_cancel_error`)
    await paying.decide('decline')
    await expect(paying.read()).rejects.toThrow('500')
    expect(intent()).toMatchObject({ status: 'requires_payment_method' })
  })

  test('is unknown while the payer confirms again at the moment of the cancellation', async () => {
    const { intent, ...paying } = await returning()
    await paying.decide('decline')
    const account = at(paying.account)
    const { cancel } = account
    account.cancel = (id, fields) => {
      Object.assign(intent(), { status: 'processing' })
      const rejected = cancel.call(account, id, fields)
      Object.assign(intent(), { status: 'requires_payment_method' })
      return rejected
    }
    await expect(paying.read()).rejects.toThrow('can be confirmed again')
    account.cancel = cancel
    expect(await paying.read()).toMatchObject({ declineCode: 'authentication_failed' })
  })

  test('that the payer confirms again before the cancellation is that payment', async () => {
    const { intent, ...paying } = await returning()
    await paying.decide('decline')
    const account = at(paying.account)
    account.cancel = (id) => {
      account.decide(id, 'confirm')
      return account.capture(id, new URLSearchParams())
    }
    expect(await paying.read()).toMatchObject({ kind: 'succeeded', amount: 10_000 })
    expect(intent()).toMatchObject({ status: 'succeeded' })
  })
})

describe('a cancellation', () => {
  test.each(['busy', 'forbidden', 'error', 'lost_not_applied', 'lost_applied'])(
    'without a response has no outcome, and a later one decides: %s',
    async (fault) => {
      const { intent, ...paying } = await returning(`${challenge}_cancel_${fault}`)
      await expect(paying.cancel('expired')).rejects.toThrow()
      at(paying.account).tokens.clear()
      expect(await paying.cancel('requested')).toMatchObject({
        kind: 'declined',
        declineCode: fault === 'lost_applied' ? 'authentication_expired' : 'authentication_canceled',
      })
      expect(intent().status).toBe('canceled')
    },
  )

  test('that Stripe rejects, because the payment was captured meanwhile, reports the payment', async () => {
    const paying = await returning()
    const account = at(paying.account)
    const { cancel } = account
    account.cancel = (id, fields) => {
      account.decide(id, 'confirm')
      account.capture(id, new URLSearchParams())
      return cancel.call(account, id, fields)
    }
    expect(await paying.cancel('expired')).toMatchObject({ kind: 'succeeded', amount: 10_000 })
  })

  test('at the moment of a confirmation ends as Stripe ends it: released, and declined', async () => {
    const { intent, ...paying } = await returning()
    const account = at(paying.account)
    const { cancel } = account
    account.cancel = (id, fields) => {
      account.decide(id, 'confirm')
      return cancel.call(account, id, fields)
    }
    expect(await paying.cancel('expired')).toMatchObject({ kind: 'declined', declineCode: 'authentication_expired' })
    expect(intent()).toMatchObject({ status: 'canceled', amount_capturable: 0, amount_received: 0 })
  })

  test('has its own keys, so that Stripe repeats no outdated error', async () => {
    const before = stripe.calls().length
    const paying = await returning(`${challenge}_cancel_lost_not_applied`)
    await Promise.allSettled([paying.cancel('expired'), paying.cancel('expired')])
    const cancellations = stripe
      .calls()
      .slice(before)
      .filter(({ path }) => path.endsWith('/cancel'))
    const keys = new Set(cancellations.map(({ headers }) => headers['idempotency-key']))
    expect(keys.size).toBeGreaterThanOrEqual(2)
    expect(keys.has(paying.authorizationId)).toBe(false)
  })

  test('of a PaymentIntent in process waits for its outcome', async () => {
    const { intent, ...paying } = await returning()
    Object.assign(intent(), { status: 'processing' })
    expect((await paying.cancel('expired')).kind).toBe('pending')
    expect(intent().status).toBe('processing')
  })
})

describe('3-D Secure', () => {
  const withResult = async (three_d_secure: unknown) => {
    const { intent, ...paying } = await returning('pm_card_visa')
    const card = { brand: 'visa', last4: '4242', three_d_secure }
    Object.assign(intent(), { latest_charge: { id: 'ch_1', payment_method_details: { card } } })
    return paying.read()
  }

  test.each([
    ['authenticated', 'authenticated'],
    ['attempt_acknowledged', 'attempted'],
    ['exempted', 'exempted'],
    ['failed', 'failed'],
    ['not_supported', 'unavailable'],
    ['processing_error', 'unavailable'],
  ])('%s is reported as %s', async (result, reported) => {
    const authentication = { version: '2.1.0', result: reported, eci: null, transaction_id: null }
    expect(await withResult({ version: '2.1.0', result })).toMatchObject({ kind: 'succeeded', authentication })
  })

  test.each([
    ['no 3-D Secure', null],
    ['no result', { version: '2.2.0', result: null }],
    ['an unknown result', { version: '2.2.0', result: 'delegated' }],
    ['another form', ['authenticated']],
  ])('%s loses no payment', async (_case, three_d_secure) => {
    const outcome = await withResult(three_d_secure)
    expect(outcome).toMatchObject({ kind: 'succeeded', paymentMethod: { last4: '4242' } })
    expect(outcome).not.toHaveProperty('authentication')
  })

  test('a text of another form is left out, and a long one is for the host to shorten', async () => {
    const authentication = { version: null, result: 'authenticated', eci: 'x'.repeat(300), transaction_id: '5' }
    const given = { version: {}, electronic_commerce_indicator: 'x'.repeat(300), transaction_id: 5 }
    expect(await withResult({ ...given, result: 'authenticated' })).toMatchObject({ kind: 'succeeded', authentication })
  })
})

describe('webhooks', () => {
  const readEvent = (paying: Awaited<ReturnType<typeof returning>>, name: string) =>
    fixture().connector.parseWebhook?.(paying.account, signWebhook(paying.account, buildEvent(name, paying.intent())))

  test.each(['requires_action', 'processing', 'amount_capturable_updated', 'payment_failed', 'canceled'])(
    'payment_intent.%s of a payment with a page is the cause of a sync',
    async (name) => {
      const paying = await returning()
      expect(readEvent(paying, name)).toMatchObject({
        kind: 'event',
        event: {
          operationId: paying.authorizationId,
          outcome: { kind: 'changed', providerReference: paying.intent().id },
        },
      })
    },
  )

  test('the event of an action or an end has it, to be compared', async () => {
    const paying = await returning()
    expect(readEvent(paying, 'requires_action')).toMatchObject({
      event: { outcome: { seen: { kind: 'action_required' } } },
    })
    await paying.decide('confirm')
    expect(readEvent(paying, 'amount_capturable_updated')).toMatchObject({
      event: { outcome: { kind: 'changed', seen: { kind: 'succeeded', amount: 10_000, currency: 'EUR' } } },
    })
  })

  test.each(['requires_action', 'processing', 'canceled'])(
    'payment_intent.%s of another payment is ignored, also the event of a void',
    async (name) => {
      const paying = payment(fixture())
      await paying.authorize('pm_card_visa')
      await paying.void(10_000)
      const [intent] = at(paying.account).intents
      const event = buildEvent(name, intent as Intent)
      const read = fixture().connector.parseWebhook?.(paying.account, signWebhook(paying.account, event))
      expect(read?.kind).toBe('ignored')
    },
  )
})

const buildEvent = (name: string, object: Intent) => ({
  id: createId('evt'),
  object: 'event',
  type: `payment_intent.${name}`,
  created: nowSeconds(),
  data: { object },
})

import { describe, expect, test } from '@jest/globals'
import type { Outcome } from '../src/domain/outcome.ts'
import { type ConnectorFixture, payment } from './connector-payment.ts'

/** Tokens of an authorization that the payer must confirm. */
export interface ChallengeTokens {
  readonly challenge: string
  /** The response to the authorization is lost. Absent: the provider loses none. */
  readonly lost?: string
}

const returnUrl = 'https://shop.example.com/orders/1'
const unused = new AbortController().signal
const minuteMs = 60_000

const authenticated = { version: '2.2.0', result: 'authenticated', eci: '05', transaction_id: expect.any(String) }
const succeeded = { kind: 'succeeded', amount: 10_000, currency: 'EUR', authentication: authenticated }
const declined = (declineCode: string) => ({ kind: 'declined', declineCode, retryable: false })

/**
 * The promises of a connector whose payers confirm at their bank. `webhooks`: full, with the outcome; changed, as the
 * cause of a sync; none.
 */
export function challengeSuite(
  tokens: ChallengeTokens,
  fixture: () => ConnectorFixture,
  { webhooks }: { readonly webhooks: 'full' | 'changed' | 'none' },
): void {
  /** An authorization that waits for the payer. */
  const waiting = async () => {
    const paying = payment(fixture())
    const outcome = await paying.authorize(tokens.challenge, unused, returnUrl)
    return { ...paying, outcome }
  }

  describe('an authorization that the payer must confirm', () => {
    test('is declined without an address to return to', async () => {
      const paying = payment(fixture())
      expect(await paying.authorize(tokens.challenge)).toMatchObject(declined('authentication_required'))
      expect(await paying.effects(paying.authorizationId)).toBe(0)
    })

    test('reports the address of the bank and the end of the time, and has no effect yet', async () => {
      const { outcome, ...paying } = await waiting()
      expect(outcome).toMatchObject({ kind: 'action_required', providerReference: expect.any(String) })
      const { action } = outcome as Extract<Outcome, { kind: 'action_required' }>
      expect(action).toMatchObject({ type: 'redirect', url: expect.stringMatching(/^https?:\/\//) })
      const leftMs = Date.parse(action.expires_at) - Date.now()
      expect(leftMs).toBeGreaterThan(0)
      expect(leftMs).toBeLessThanOrEqual(30 * minuteMs)
      expect(await paying.effects(paying.authorizationId)).toBe(0)
    })

    test('repeated and read, still waits at the same address', async () => {
      const { outcome, ...paying } = await waiting()
      expect(await paying.authorize(tokens.challenge, unused, returnUrl)).toEqual(outcome)
      expect(await paying.read()).toEqual(outcome)
    })

    test('succeeds with the authentication once the payer confirmed', async () => {
      const paying = await waiting()
      await paying.decide('confirm')
      const outcome = await paying.read()
      expect(outcome).toMatchObject(succeeded)
      expect(outcome).toMatchObject({ paymentMethod: { type: 'CREDIT_CARD', last4: expect.any(String) } })
      expect(await paying.effects(paying.authorizationId)).toBe(1)
    })

    test('can be captured and refunded as any other', async () => {
      const paying = await waiting()
      await paying.decide('confirm')
      await paying.read()
      expect(await paying.capture(10_000)).toMatchObject({ kind: 'succeeded', amount: 10_000 })
      expect(await paying.refund(4_000)).toMatchObject({ kind: 'succeeded', amount: 4_000 })
    })

    test('is declined once the payer declined, and a later confirmation has no effect', async () => {
      const paying = await waiting()
      await paying.decide('decline')
      expect(await paying.read()).toMatchObject(declined('authentication_failed'))
      await paying.decide('confirm')
      expect(await paying.read()).toMatchObject(declined('authentication_failed'))
      expect(await paying.effects(paying.authorizationId)).toBe(0)
    })
  })

  describe('a cancellation', () => {
    test.each([
      ['expired', 'authentication_expired'],
      ['requested', 'authentication_canceled'],
      ['unusable', 'authentication_canceled'],
    ] as const)('%s ends the authorization, also for a late confirmation: %s', async (reason, code) => {
      const paying = await waiting()
      expect(await paying.cancel(reason)).toMatchObject(declined(code))
      await paying.decide('confirm')
      expect(await paying.read()).toMatchObject(declined(code))
      expect(await paying.effects(paying.authorizationId)).toBe(0)
    })

    test('after the confirmation reports the payment, and changes nothing', async () => {
      const paying = await waiting()
      await paying.decide('confirm')
      expect(await paying.cancel('expired')).toMatchObject(succeeded)
      expect(await paying.capture(10_000)).toMatchObject({ kind: 'succeeded' })
    })

    test('after the payer declined reports the decline of the bank', async () => {
      const paying = await waiting()
      await paying.decide('decline')
      expect(await paying.cancel('expired')).toMatchObject(declined('authentication_failed'))
    })

    test('repeated has no further effect, and the first reason stays', async () => {
      const paying = await waiting()
      const first = await paying.cancel('expired')
      expect(await paying.cancel('requested')).toMatchObject(declined('authentication_expired'))
      expect(await paying.cancel('expired')).toEqual(first)
    })

    test('ten at once, with a confirmation among them: one outcome, which the provider has too', async () => {
      const paying = await waiting()
      const ending = Array.from({ length: 10 }, (_, index) =>
        index === 5 ? paying.decide('confirm') : paying.cancel('expired'),
      )
      await Promise.allSettled(ending)
      const { kind } = await paying.read()
      expect(await paying.effects(paying.authorizationId)).toBe(kind === 'succeeded' ? 1 : 0)
      expect(['succeeded', 'declined']).toContain(kind)
    })

    test('of an id that the provider does not know has no outcome that ends a sent operation', async () => {
      const paying = payment(fixture())
      const canceled = await paying.cancel('expired', { isLost: true })
      expect(['not_attempted', 'unknown']).toContain(canceled.kind)
      expect(await paying.effects(paying.authorizationId)).toBe(0)
    })

    const { lost } = tokens
    if (lost !== undefined) {
      test('finds an authorization whose response was lost', async () => {
        const paying = payment(fixture())
        await expect(paying.authorize(lost, unused, returnUrl)).rejects.toThrow()
        expect(await paying.cancel('expired', { isLost: true })).toMatchObject(declined('authentication_expired'))
        expect(await paying.effects(paying.authorizationId)).toBe(0)
      })

      test('a sync finds the address of an authorization whose response was lost', async () => {
        const paying = payment(fixture())
        await expect(paying.authorize(lost, unused, returnUrl)).rejects.toThrow()
        expect(await paying.read()).toMatchObject({ kind: 'action_required', action: { type: 'redirect' } })
      })
    }
  })

  test('reports list an authorization that waits as pending', async () => {
    const { connector } = fixture()
    const paying = await waiting()
    const window = { from: new Date(Date.now() - 2_000), to: new Date(Date.now() + 2_000), cursor: null }
    const page = await connector.listOperations?.(paying.account, window, unused)
    expect(page?.operations).toMatchObject([{ operationId: paying.authorizationId, state: 'pending' }])
  })

  if (webhooks === 'none') return

  const ends = [
    ['the address', async () => {}, { kind: 'action_required', action: { type: 'redirect' } }],
    ['a confirmation', (paying) => paying.decide('confirm'), succeeded],
    ['a decline', (paying) => paying.decide('decline'), declined('authentication_failed')],
    ['a cancellation', (paying) => paying.cancel('expired'), declined('authentication_expired')],
  ] as [string, (paying: ReturnType<typeof payment>) => Promise<unknown>, object][]
  test.each(ends)('a webhook reports %s', async (_case, happens, outcome) => {
    const paying = await waiting()
    await happens(paying)
    const reading = paying.webhook()
    const expected = webhooks === 'full' ? outcome : { kind: 'changed' }
    expect(reading).toMatchObject({ kind: 'event', event: { operationId: paying.authorizationId, outcome: expected } })
    expect(await paying.read()).toMatchObject(outcome)
  })
}

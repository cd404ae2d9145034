import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { containsCardNumber } from '@payments/chassis/base/card-number'
import { payload } from '@payments/contracts/nouns/transaction'
import { createApp } from '../src/app.ts'
import type { Connector } from '../src/connectors/connector.ts'
import { cleanEvent, cleanOutcome } from '../src/connectors/provider-text.ts'
import type { Outcome } from '../src/domain/outcome.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const pan = '4111 1111 1111 1111'
/** The characters that a provider can write, each alone, in a text and at a length that nothing stores. */
const texts = ['', '\u0000', '\ud800', '\udc00a', '\n\t', '\u202e', '\u{1f600}', pan, '"\\', '\u007f\u0085'].flatMap(
  (one) => [one, `a${one}b`, one.repeat(20_000), `${'a'.repeat(99)}${one}`],
)

const unstorable = /[\p{Cc}\p{Cs}]/u

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const declines = (text: string): Outcome => ({
  kind: 'declined',
  providerReference: text,
  declineCode: 'card_declined',
  retryable: false,
  providerCode: text,
})

function buildSuccess(text: string, amount = 10_000): Outcome {
  const texted = { version: text, eci: text, transaction_id: text }
  return {
    kind: 'succeeded',
    providerReference: text,
    amount,
    currency: 'EUR',
    paymentMethod: { type: 'CREDIT_CARD', brand: text, last4: '4242' },
    authentication: { result: 'authenticated', ...texted },
    authorizationExpiresAt: new Date(8.64e15),
  }
}

describe('whatever text a provider writes, the outcome stays and its texts can be stored', () => {
  test.each(texts.map((text) => [text.slice(0, 12), text]))('%j', (_start, text) => {
    const outcomes: Outcome[] = [
      buildSuccess(text),
      declines(text),
      { kind: 'pending', providerReference: text },
      { kind: 'unknown', reason: text },
    ]
    for (const outcome of outcomes) {
      const clean = cleanOutcome(outcome)
      expect(clean.kind).toBe(outcome.kind)
      for (const found of textsIn(clean)) {
        expect(found).not.toMatch(unstorable)
        expect(found.length).toBeLessThanOrEqual(500)
        expect(containsCardNumber(found)).toBe(false)
      }
      expect(cleanOutcome(clean)).toEqual(clean)
    }
    expect(cleanOutcome(buildSuccess(text))).not.toHaveProperty('authorizationExpiresAt')
    const seen = { kind: 'pending', providerReference: text } as const
    const event = cleanEvent({
      eventId: 'e',
      operationId: null,
      providerReference: text,
      outcome: { kind: 'changed', providerReference: text, seen },
    })
    for (const found of textsIn(event)) expect(found).not.toMatch(unstorable)
  })

  test('a text without a fault stays as it is', () => {
    for (const text of ['ch_1', 'Carte Bancaire \u20ac', '\u{1f600}'.repeat(25)]) {
      expect(cleanOutcome(declines(text))).toEqual(declines(text))
    }
  })
})

test.each([...texts.filter(({ length }) => length < 200), '\u0000'.repeat(20_000)])(
  'a payment is booked, shown, listed and reported: %j',
  async (text) => {
    const execute: Connector['execute'] = async (command, signal) => {
      if (command.type === 'refund') return declines(text)
      await world.sandbox.execute(command, signal)
      return buildSuccess(text, command.amount)
    }
    const provider = world.createTestProvider({ ...world.sandbox, execute })
    const tenant = world.tenant()
    const paying = tenant.through(createApp({ ...world.deps, providerCalls: provider }))
    const { status, body } = await paying.authorize('visa', { capture: true })
    expect([status, body.status]).toEqual([201, 'captured'])
    expect((await paying.refund(body.id, { amount: 1 })).status).toBe(402)
    expect((await tenant.read(body.id)).status).toBe(200)
    const listed = (await tenant.list()).body
    expect([listed.data.length, listed.unreadable]).toEqual([1, undefined])
    const events = await tenant.events()
    expect(events.map(({ payload: sent }) => payload.safeParse(sent).success)).toEqual([true, true, true])
  },
)

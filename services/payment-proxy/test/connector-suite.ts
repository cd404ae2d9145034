import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { Account, Connector, ReportedOperation, WebhookRequest } from '../src/connectors/connector.ts'
import type { DeclineCode } from '../src/connectors/decline-code.ts'
import { type ConnectorFixture, payment } from './connector-payment.ts'

export interface SuiteTokens {
  readonly success: string
  readonly declines: Readonly<Record<string, DeclineCode>>
  /** The response is lost, after or before the operation took effect. */
  readonly lost: Readonly<
    Record<'applied' | 'not_applied', Readonly<Record<'authorize' | 'capture' | 'refund', string>>>
  >
  /** The provider does not respond in time. */
  readonly slow: string
}

const unused = new AbortController().signal
/** Long enough for every connector to exclude that a request is in flight. */
const longAgo = () => new Date(Date.now() - 60 * 60 * 1000)

/** The promises of every connector. The test of each connector registers them. */
export function connectorSuite(
  tokens: SuiteTokens,
  fixture: () => ConnectorFixture,
  options: { rejectsLateRequests: boolean; sendsWebhooks: boolean; capturesManyParts: boolean },
): void {
  const payer = () => payment(fixture())

  test('executes and reports an authorization with its amount, reference and card', async () => {
    const outcome = await payer().authorize(tokens.success)
    expect(outcome).toMatchObject({
      kind: 'succeeded',
      amount: 10_000,
      currency: 'EUR',
      providerReference: expect.any(String),
    })
    expect(outcome).toMatchObject({ paymentMethod: { type: 'CREDIT_CARD', last4: expect.stringMatching(/^\d{4}$/) } })
  })

  test('an operation id takes effect once: repeated, and ten times at once', async () => {
    const paying = payer()
    const first = await paying.authorize(tokens.success)
    expect(await paying.authorize(tokens.success)).toEqual(first)
    const refundId = randomUUID()
    await paying.capture(10_000)
    const settled = await Promise.allSettled(Array.from({ length: 10 }, () => paying.refund(6_000, refundId)))
    const outcomes = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(outcomes.length).toBeGreaterThan(0)
    for (const outcome of outcomes) expect(outcome).toMatchObject({ kind: 'succeeded', amount: 6_000 })
    expect(await paying.effects(refundId)).toBe(1)
    expect(await paying.effects(paying.authorizationId)).toBe(1)
  })

  test('captures the whole amount once, and declines another capture and a void', async () => {
    const paying = payer()
    await paying.authorize(tokens.success)
    expect(await paying.capture(10_000)).toMatchObject({ kind: 'succeeded', amount: 10_000 })
    expect(await paying.capture(10_000)).toMatchObject({ kind: 'declined' })
    expect(await paying.void(10_000)).toMatchObject({ kind: 'declined' })
  })

  test('captures a part and releases the rest', async () => {
    const paying = payer()
    await paying.authorize(tokens.success)
    expect(await paying.capture(4_000, 6_000)).toMatchObject({ kind: 'succeeded', amount: 4_000, currency: 'EUR' })
    expect(await paying.capture(1, 0)).toMatchObject({ kind: 'declined' })
    expect(await paying.refund(4_001)).toMatchObject({ kind: 'declined', declineCode: 'amount_limit_exceeded' })
  })

  test('captures two parts, or declines a part that keeps the rest and captures nothing', async () => {
    const paying = payer()
    await paying.authorize(tokens.success)
    const part = await paying.capture(4_000)
    if (options.capturesManyParts) {
      expect(part).toMatchObject({ kind: 'succeeded', amount: 4_000 })
      expect(await paying.capture(6_000)).toMatchObject({ kind: 'succeeded', amount: 6_000 })
    } else {
      expect(part).toMatchObject({ kind: 'declined', declineCode: 'transaction_not_permitted', retryable: false })
      expect(await paying.capture(10_000)).toMatchObject({ kind: 'succeeded', amount: 10_000 })
    }
  })

  test('declines an amount above the authorized or captured one', async () => {
    const paying = payer()
    await paying.authorize(tokens.success)
    expect(await paying.capture(10_001)).toMatchObject({ kind: 'declined', declineCode: 'amount_limit_exceeded' })
    await paying.capture(10_000)
    expect(await paying.refund(3_000)).toMatchObject({ kind: 'succeeded', amount: 3_000 })
    expect(await paying.refund(7_001)).toMatchObject({ kind: 'declined', declineCode: 'amount_limit_exceeded' })
    expect(await paying.refund(7_000)).toMatchObject({ kind: 'succeeded', amount: 7_000 })
  })

  test('voids an authorization', async () => {
    const paying = payer()
    await paying.authorize(tokens.success)
    expect(await paying.void(10_000)).toMatchObject({ kind: 'succeeded', amount: 10_000, currency: 'EUR' })
    expect(await paying.capture(10_000)).toMatchObject({ kind: 'declined' })
  })

  test.each(Object.entries(tokens.declines))('declines %s with the code %s', async (token, declineCode) => {
    const paying = payer()
    const outcome = await paying.authorize(token)
    expect(outcome).toMatchObject({ kind: 'declined', declineCode })
    expect(await paying.sync('authorize', paying.authorizationId, 10_000)).toMatchObject({
      kind: 'declined',
      declineCode,
    })
  })

  test.each([
    ['JPY', 500],
    ['EUR', 1],
    ['KWD', 12_340],
  ])('takes amounts in %s as minor units', async (currency, amount) => {
    const paying = payment(fixture(), { currency, amount })
    expect(await paying.authorize(tokens.success)).toMatchObject({ kind: 'succeeded', amount, currency })
    expect(await paying.capture(amount)).toMatchObject({ kind: 'succeeded', amount, currency })
    expect(await paying.refund(amount)).toMatchObject({ kind: 'succeeded', amount, currency })
  })

  describe.each(['authorize', 'capture', 'refund'] as const)('when the response to %s is lost', (type) => {
    const lose = async (when: 'applied' | 'not_applied') => {
      const paying = payer()
      const token = tokens.lost[when][type]
      const id = type === 'authorize' ? paying.authorizationId : randomUUID()
      if (type !== 'authorize') await paying.authorize(token)
      if (type === 'refund') await paying.capture(10_000)
      const execute = () =>
        type === 'authorize'
          ? paying.authorize(token)
          : type === 'capture'
            ? paying.capture(10_000, 0, id)
            : paying.refund(10_000, id)
      await expect(execute()).rejects.toThrow()
      return { paying, id }
    }

    test('a sync finds the outcome of the applied operation', async () => {
      const { paying, id } = await lose('applied')
      expect(await paying.sync(type, id, 10_000)).toMatchObject({ kind: 'succeeded', amount: 10_000 })
      expect(await paying.effects(id)).toBe(1)
    })

    test('an operation that was never received is not attempted, and stays so', async () => {
      const { paying, id } = await lose('not_applied')
      expect((await paying.sync(type, id, 10_000, longAgo())).kind).toBe('not_attempted')
      expect((await paying.sync(type, id, 10_000, longAgo())).kind).toBe('not_attempted')
      expect(await paying.effects(id)).toBe(0)
    })
  })

  if (options.rejectsLateRequests) {
    test('an operation that a sync did not find is rejected when it arrives', async () => {
      const paying = payer()
      expect((await paying.sync('authorize', paying.authorizationId, 10_000)).kind).toBe('not_attempted')
      const late = await Promise.allSettled([paying.authorize(tokens.success)])
      if (late[0].status === 'fulfilled') expect(late[0].value.kind).toBe('not_attempted')
      expect(await paying.effects(paying.authorizationId)).toBe(0)
    })
  }

  test('stops when the signal aborts', async () => {
    const abort = new AbortController()
    const authorizing = payer().authorize(tokens.slow, abort.signal)
    setImmediate(() => abort.abort())
    const end = await authorizing.then(
      ({ kind }) => kind,
      () => 'aborted',
    )
    expect(['aborted', 'not_attempted']).toContain(end)
  })

  test('lists the operations of a window, and none outside of it', async () => {
    const { connector } = fixture()
    if (connector.listOperations === undefined) return
    const paying = payer()
    const from = new Date(Date.now() - 2_000)
    await paying.authorize(tokens.success)
    const [captureId, refundId] = [randomUUID(), randomUUID()]
    await paying.capture(10_000, 0, captureId)
    await paying.refund(2_500, refundId)
    const listed = await listAll(connector, paying.account, from, new Date(Date.now() + 2_000))
    const seen = listed.map(({ operationId, type, state, amount, currency }) => [
      operationId,
      type,
      state,
      amount,
      currency,
    ])
    expect(new Set(seen)).toEqual(
      new Set([
        [paying.authorizationId, 'authorize', 'succeeded', 10_000, 'EUR'],
        [captureId, 'capture', 'succeeded', 10_000, 'EUR'],
        [refundId, 'refund', 'succeeded', 2_500, 'EUR'],
      ]),
    )
    expect(await listAll(connector, paying.account, new Date(0), from)).toEqual([])
  })

  if (options.sendsWebhooks) {
    test('reads a webhook with a valid signature, and rejects every other', async () => {
      const { connector, webhook } = fixture()
      if (connector.parseWebhook === undefined || webhook === undefined)
        throw new Error('the fixture sends no webhooks')
      const paying = payer()
      const authorized = await paying.authorize(tokens.success)
      const reference = 'providerReference' in authorized ? String(authorized.providerReference) : ''
      const about = { id: paying.authorizationId, reference }
      const genuine = webhook(paying.account, about)
      expect(connector.parseWebhook(paying.account, genuine)).toMatchObject({
        kind: 'event',
        event: {
          eventId: expect.any(String),
          operationId: paying.authorizationId,
          providerReference: reference,
          outcome: { kind: 'succeeded', amount: 10_000, currency: 'EUR' },
        },
      })
      const body = Buffer.from(genuine.body.toString('utf8').replace('10000', '10001'))
      const headers = Object.fromEntries(Object.keys(genuine.headers).map((name) => [name, undefined]))
      const forged: [string, Account, WebhookRequest][] = [
        ['another body', paying.account, { ...genuine, body }],
        ['no headers', paying.account, { ...genuine, headers }],
        ['an old timestamp', paying.account, webhook(paying.account, about, 5 * 60_000 + 2_000)],
        ['a timestamp ahead', paying.account, webhook(paying.account, about, -5 * 60_000 - 2_000)],
        ['another account', fixture().account(), genuine],
        ['no credentials', { ...paying.account, credentials: {} }, genuine],
      ]
      for (const [what, account, request] of forged) {
        expect([what, connector.parseWebhook(account, request).kind]).toEqual([what, 'rejected'])
      }
    })
  }
}

async function listAll(connector: Connector, account: Account, from: Date, to: Date): Promise<ReportedOperation[]> {
  const operations: ReportedOperation[] = []
  let cursor: string | null = null
  for (let page = 0; page < 20; page += 1) {
    const found: Awaited<ReturnType<NonNullable<Connector['listOperations']>>> | undefined =
      await connector.listOperations?.(account, { from, to, cursor }, unused)
    operations.push(...(found?.operations ?? []))
    cursor = found?.next ?? null
    if (cursor === null) return operations
  }
  throw new Error('the list does not end')
}

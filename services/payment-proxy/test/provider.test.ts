import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { createLog } from '@payments/chassis/log'
import type { Connector } from '../src/connectors/connector.ts'
import { createProvider } from '../src/connectors/provider.ts'
import { testCardOf } from '../src/connectors/sandbox-token.ts'
import type { Operation } from '../src/domain/operation.ts'
import type { Outcome } from '../src/domain/outcome.ts'

const operation: Operation = {
  id: randomUUID(),
  tenantId: randomUUID(),
  transactionId: randomUUID(),
  number: 2,
  type: 'capture',
  state: 'in_progress',
  amount: 500,
  amountReleased: 0,
  stage: null,
  reason: null,
  items: null,
  providerReference: null,
  error: null,
  attemptCount: 1,
  dueAt: new Date(),
  traceId: randomUUID(),
  createdAt: new Date(),
  completedAt: null,
}

/** Asks a connector that answers every question as told. */
function ask(answer: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome> {
  const says = (_: unknown, signal: AbortSignal) => answer(signal)
  const connector: Connector = {
    type: 'test',
    recognizes: () => true,
    authorize: says,
    capture: says,
    void: says,
    refund: says,
    sync: says,
  }
  const provider = createProvider(connector, 50, createLog('test', 'fatal'))
  return provider.ask({ operation, currency: 'EUR', authorizationId: operation.id, kind: { do: 'follow_up' } })
}

const succeeded = { kind: 'succeeded', providerReference: 'r', amount: 500, currency: 'EUR' } as const

describe('whatever goes wrong between us and a provider is unknown', () => {
  const broken: [string, () => Promise<Outcome>][] = [
    ['a rejection', () => Promise.reject(new Error('socket hang up'))],
    ['no answer', () => new Promise(() => {})],
    ['another amount', async () => ({ ...succeeded, amount: 501 })],
    ['another currency', async () => ({ ...succeeded, currency: 'USD' })],
    [
      'a synchronous throw',
      () => {
        throw new TypeError('x is not a function')
      },
    ],
  ]
  test.each(broken)('%s', async (_case, answer) => {
    expect((await ask(answer)).kind).toBe('unknown')
  })

  test('and the connector is told to stop at the deadline', async () => {
    let stopped = false
    await ask(
      (signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            stopped = true
            resolve(succeeded)
          })
        }),
    )
    expect(stopped).toBe(true)
  })
})

test.each<Outcome>([
  succeeded,
  { kind: 'declined', providerReference: 'r', declineCode: 'card_declined', retryable: false, providerCode: '05' },
  { kind: 'pending', providerReference: 'r' },
  { kind: 'not_attempted', reason: 'refused' },
])('what a provider says clearly is what it said: $kind', async (outcome) => {
  expect(await ask(async () => outcome)).toEqual(outcome)
})

test('the sandbox knows its tokens only', () => {
  for (const name of ['visa', 'ach', 'void_declined', 'slow_0', 'slow_60000']) {
    expect(testCardOf(`tok_sandbox_${name}`)).toBeDefined()
  }
  for (const token of [
    'visa',
    'tok_sandbox_',
    'tok_sandbox_slow_',
    'tok_sandbox_slow_60001',
    'tok_sandbox___proto__',
  ]) {
    expect(testCardOf(token)).toBeUndefined()
  }
})

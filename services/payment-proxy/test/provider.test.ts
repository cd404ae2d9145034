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

/** Sends a request to a connector with this response. */
function send(respond: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome> {
  const call = (_: unknown, signal: AbortSignal) => respond(signal)
  const connector: Connector = {
    type: 'test',
    recognizes: () => true,
    authorize: call,
    capture: call,
    void: call,
    refund: call,
    sync: call,
  }
  const provider = createProvider(connector, 50, createLog('test', 'fatal'))
  return provider.send({ operation, currency: 'EUR', authorizationId: operation.id, kind: { do: 'follow_up' } })
}

const succeeded = { kind: 'succeeded', providerReference: 'r', amount: 500, currency: 'EUR' } as const

describe('the outcome is unknown after', () => {
  const broken: [string, () => Promise<Outcome>][] = [
    ['a rejection', () => Promise.reject(new Error('socket hang up'))],
    ['no response', () => new Promise(() => {})],
    ['another amount', async () => ({ ...succeeded, amount: 501 })],
    ['another currency', async () => ({ ...succeeded, currency: 'USD' })],
    [
      'a synchronous throw',
      () => {
        throw new TypeError('x is not a function')
      },
    ],
  ]
  test.each(broken)('%s', async (_case, respond) => {
    expect((await send(respond)).kind).toBe('unknown')
  })

  test('the time-out, which also aborts the connector', async () => {
    let stopped = false
    await send(
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
  { kind: 'not_attempted', reason: 'rejected' },
])('passes on the outcome of the provider: $kind', async (outcome) => {
  expect(await send(async () => outcome)).toEqual(outcome)
})

test('the sandbox recognizes only its own tokens', () => {
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

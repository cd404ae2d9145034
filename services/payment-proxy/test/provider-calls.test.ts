import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { createMetrics } from '@payments/chassis/process/metrics'
import { findTestCard } from '../src/connectors/sandbox-token.ts'
import type { Outcome } from '../src/domain/outcome.ts'
import { buildRequest, createConnector, createTestProvider, ids, type Respond, succeeded } from './provider-world.ts'

/** Sends a request to a connector with this response. */
function send(respond: Respond): Promise<Outcome> {
  return createTestProvider(createConnector(respond)).send(buildRequest())
}

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
    expect(findTestCard(`tok_sandbox_${name}`)).toBeDefined()
  }
  for (const token of [
    'visa',
    'tok_sandbox_',
    'tok_sandbox_slow_',
    'tok_sandbox_slow_60001',
    'tok_sandbox___proto__',
  ]) {
    expect(findTestCard(token)).toBeUndefined()
  }
})

const notAttempted = { kind: 'not_attempted', reason: 'the connection was refused' } as const

test('an operation that was sent before is not reported as not attempted', async () => {
  const provider = createTestProvider(createConnector(async () => notAttempted))
  expect((await provider.send(buildRequest('execute', { attemptCount: 2 }))).kind).toBe('unknown')
  expect((await provider.send(buildRequest('execute', { attemptCount: 1 }))).kind).toBe('not_attempted')
  expect((await provider.send(buildRequest('sync', { attemptCount: 2 }))).kind).toBe('not_attempted')
})

test('an operation is not sent later than five minutes after its start: its outcome is read', async () => {
  const sent: string[] = []
  const connector = createConnector(async () => succeeded)
  const provider = createTestProvider({
    ...connector,
    execute: async ({ type }) => {
      sent.push(type)
      return succeeded
    },
    sync: async () => {
      sent.push('sync')
      return notAttempted
    },
  })
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  await provider.send(buildRequest('execute', { createdAt: minutesAgo(4), attemptCount: 2 }))
  await provider.send(buildRequest('execute', { createdAt: minutesAgo(6), attemptCount: 2 }))
  expect(sent).toEqual(['capture', 'sync'])
})

describe('without an account', () => {
  test.each(['execute', 'sync'] as const)('nothing is sent: %s', async (instruction) => {
    let calls = 0
    const connector = createConnector(async () => {
      calls += 1
      return succeeded
    })
    const accounts = { find: () => Promise.reject(new Error('business-unit cannot be reached')) }
    const outcome = await createTestProvider(connector, { accounts }).send(buildRequest(instruction))
    expect(outcome.kind).toBe(instruction === 'sync' ? 'unknown' : 'not_attempted')
    expect(calls).toBe(0)
  })
})

/** A connector whose calls wait until `release`, with the names of its calls. */
function held() {
  const calls: string[] = []
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const call = (name: string) => async () => {
    calls.push(name)
    await released
    return succeeded
  }
  const connector = { ...createConnector(call('operation'), true), sync: call('sync') }
  return { calls, release: () => release(), provider: createTestProvider(connector, { timeoutMs: 10_000 }) }
}

test('at most 64 requests to a payment orchestrator are in flight, and the others are not sent', async () => {
  const { calls, release, provider } = held()
  const sending = Array.from({ length: 64 }, () => provider.send(buildRequest()))
  const beyond = await provider.send(buildRequest())
  expect(beyond).toMatchObject({ kind: 'not_attempted', reason: expect.stringContaining('64 requests') })
  expect((await provider.send(buildRequest('sync'))).kind).toBe('unknown')
  release()
  expect(new Set((await Promise.all(sending)).map(({ kind }) => kind))).toEqual(new Set(['succeeded']))
  expect(calls).toHaveLength(64)
  expect((await provider.send(buildRequest())).kind).toBe('succeeded')
})

test('at most 16 of them are syncs, so that operations are sent', async () => {
  const { calls, release, provider } = held()
  const syncs = Array.from({ length: 16 }, () => provider.send(buildRequest('sync')))
  expect(await provider.send(buildRequest('sync'))).toMatchObject({ reason: expect.stringContaining('16 requests') })
  const sent = [...syncs, provider.send(buildRequest())]
  release()
  expect(new Set((await Promise.all(sent)).map(({ kind }) => kind))).toEqual(new Set(['succeeded']))
  expect(calls.filter((name) => name === 'sync')).toHaveLength(16)
})

test('counts requests by connector, type and outcome', async () => {
  const metrics = createMetrics('test')
  const provider = createTestProvider(
    createConnector(async () => succeeded),
    { metrics },
  )
  await provider.send(buildRequest())
  await provider.send(buildRequest('sync'))
  const text = await metrics.registry.metrics()
  expect(text).toContain(
    'provider_requests_total{connector="sandbox",type="capture",outcome="succeeded",service="test"} 1',
  )
  expect(text).toContain(
    'provider_requests_total{connector="sandbox",type="sync",outcome="succeeded",service="test"} 1',
  )
  expect(text).toMatch(/provider_request_duration_seconds_count\{.*type="sync".*\} 1/)
})

test('a connector without webhooks rejects them, and one without lists has none', async () => {
  const provider = createTestProvider(createConnector(async () => succeeded))
  const context = { tenantId: randomUUID(), ...ids }
  const webhook = { headers: {}, body: Buffer.from('{}'), receivedAt: new Date() }
  expect((await provider.parseWebhook(context, webhook)).kind).toBe('rejected')
  expect(await provider.listOperations(context, { from: new Date(), to: new Date(), cursor: null })).toBeNull()
})

import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { createProviderGates, gateLimits } from '../src/connectors/provider-gates.ts'
import { noOutcome } from '../src/connectors/provider-http.ts'
import type { Outcome } from '../src/domain/outcome.ts'
import { buildRequest, createConnector, createTestProvider, succeeded } from './provider-world.ts'

describe('the circuit of a payment orchestrator', () => {
  const failing = (openMs = gateLimits.openMs) => {
    const state = { calls: 0, healthy: false }
    const connector = createConnector(async () => {
      state.calls += 1
      if (!state.healthy) throw new Error('socket hang up')
      return succeeded
    }, true)
    return {
      state,
      provider: createTestProvider(connector, { gates: createProviderGates({ ...gateLimits, openMs }) }),
    }
  }

  test('opens after five failures in a row: operations are not attempted, syncs pass', async () => {
    const { state, provider } = failing()
    for (let failure = 0; failure < 5; failure += 1) await provider.send(buildRequest())
    expect(await provider.send(buildRequest())).toEqual({
      kind: 'not_attempted',
      reason: 'the payment provider failed repeatedly',
    })
    expect(state.calls).toBe(5)
    await provider.send(buildRequest('sync'))
    expect(state.calls).toBe(6)
    const request = buildRequest()
    const other = { ...request, transaction: { ...request.transaction, paymentOrchestratorId: randomUUID() } }
    expect((await provider.send(other)).kind).toBe('unknown')
  })

  test('stays closed after responses that are no outcome: the provider works, the operation is unknown', async () => {
    let respond: () => Promise<Outcome> = () => Promise.reject(noOutcome(422))
    const provider = createTestProvider(createConnector(() => respond(), true))
    for (let count = 0; count < 10; count += 1) expect((await provider.send(buildRequest())).kind).toBe('unknown')
    respond = async () => succeeded
    expect((await provider.send(buildRequest())).kind).toBe('succeeded')
  })

  test('lets one operation through after a while, and closes when it succeeds', async () => {
    const { state, provider } = failing(30)
    for (let failure = 0; failure < 5; failure += 1) await provider.send(buildRequest())
    state.healthy = true
    const sendUntilAdmitted = async (): Promise<Outcome[]> => {
      const outcomes = await Promise.all([provider.send(buildRequest()), provider.send(buildRequest())])
      return outcomes.some(({ kind }) => kind === 'succeeded') ? outcomes : sendUntilAdmitted()
    }
    const outcomes = await sendUntilAdmitted()
    // The circuit may let the second one through: the first was sent before its time.
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['not_attempted', 'succeeded'])
    expect(state.calls).toBe(6)
    expect((await provider.send(buildRequest())).kind).toBe('succeeded')
  })
})

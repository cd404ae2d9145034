import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { admissionLimits, createAdmission } from '../src/connectors/admission.ts'
import { noOutcome } from '../src/connectors/provider-http.ts'
import type { Outcome } from '../src/domain/outcome.ts'
import { connectorOf, providerOf, requestOf, succeeded } from './provider-world.ts'

describe('the circuit of a payment orchestrator', () => {
  const failing = (openMs = admissionLimits.openMs) => {
    const state = { calls: 0, healthy: false }
    const connector = connectorOf(async () => {
      state.calls += 1
      if (!state.healthy) throw new Error('socket hang up')
      return succeeded
    }, true)
    return { state, provider: providerOf(connector, { admission: createAdmission({ ...admissionLimits, openMs }) }) }
  }

  test('opens after five failures in a row: operations are not attempted, syncs pass', async () => {
    const { state, provider } = failing()
    for (let failure = 0; failure < 5; failure += 1) await provider.send(requestOf())
    expect(await provider.send(requestOf())).toEqual({
      kind: 'not_attempted',
      reason: 'the payment provider failed repeatedly',
    })
    expect(state.calls).toBe(5)
    await provider.send(requestOf('sync'))
    expect(state.calls).toBe(6)
    const other = { ...requestOf(), paymentOrchestratorId: randomUUID() }
    expect((await provider.send(other)).kind).toBe('unknown')
  })

  test('stays closed after responses that are no outcome: the provider works, the operation is unknown', async () => {
    let respond: () => Promise<Outcome> = () => Promise.reject(noOutcome(422))
    const provider = providerOf(connectorOf(() => respond(), true))
    for (let count = 0; count < 10; count += 1) expect((await provider.send(requestOf())).kind).toBe('unknown')
    respond = async () => succeeded
    expect((await provider.send(requestOf())).kind).toBe('succeeded')
  })

  test('lets one operation through after a while, and closes when it succeeds', async () => {
    const { state, provider } = failing(30)
    for (let failure = 0; failure < 5; failure += 1) await provider.send(requestOf())
    state.healthy = true
    const sendUntilAdmitted = async (): Promise<Outcome[]> => {
      const outcomes = await Promise.all([provider.send(requestOf()), provider.send(requestOf())])
      return outcomes.some(({ kind }) => kind === 'succeeded') ? outcomes : sendUntilAdmitted()
    }
    const outcomes = await sendUntilAdmitted()
    // The circuit may let the second one through: the first was sent before its time.
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['not_attempted', 'succeeded'])
    expect(state.calls).toBe(6)
    expect((await provider.send(requestOf())).kind).toBe('succeeded')
  })
})

import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { createLog } from '@payments/chassis/observability/log'
import { leaseUntil } from '../src/domain/lease.ts'
import { newOperation, type Operation, type OperationState } from '../src/domain/operation.ts'
import { instructionToResume } from '../src/operation/execute.ts'
import { effectiveOperation, isFinal, toResult } from '../src/operation/response.ts'
import { createWorkPermits } from '../src/operation/work-permits.ts'
import { aggregate, operation } from './domain-facts.ts'

/** The rules of the steps of an operation, without a database. */
const now = new Date('2026-11-22T12:00:00.000Z')
const dates = { createdAt: now, updatedAt: now }

const resumed = { stage: null, action: null, voidRequest: null } as const

describe('an operation that is resumed', () => {
  test.each([
    ['a capture after its authorization, in progress', 'capture', 'in_progress', 'execute'],
    ['a capture after its authorization, unknown', 'capture', 'unknown', 'sync'],
    ['a capture after its authorization, pending', 'capture', 'pending', 'sync'],
    ['an authorization with capture, in progress', 'authorize', 'in_progress', 'sync'],
    ['any other operation, in progress', null, 'in_progress', 'sync'],
    ['any other operation, unknown', null, 'unknown', 'sync'],
  ] as const)('%s', (_case, stage, state, kind) => {
    expect(instructionToResume({ ...resumed, type: stage ?? 'refund', stage, state }, now)).toEqual(
      kind === 'execute' ? { kind, paymentDetails: null } : { kind },
    )
  })

  test('a void, in progress: it may not have been sent', () => {
    const instruction = instructionToResume({ ...resumed, type: 'void', state: 'in_progress' }, now)
    expect(instruction).toEqual({ kind: 'execute', paymentDetails: null })
  })

  const waiting = { ...resumed, type: 'authorize', state: 'action_required' } as const
  const actionUntil = (ms: number) => {
    const expires_at = new Date(now.getTime() + ms).toISOString()
    return { type: 'redirect', url: 'https://bank.example.com', expires_at } as const
  }
  const voidRequest = { reason: null, trace_id: randomUUID(), actor: 'platform', requested_at: now.toISOString() }

  test.each<[string, Partial<Operation>, object]>([
    ['within its time', { action: actionUntil(1) }, { kind: 'sync' }],
    ['after its time', { action: actionUntil(0) }, { kind: 'cancel', reason: 'expired' }],
    ['with a void', { action: actionUntil(1), voidRequest }, { kind: 'cancel', reason: 'requested' }],
    ['unknown after its time', { state: 'unknown', action: actionUntil(0) }, { kind: 'cancel', reason: 'expired' }],
    ['pending after its time', { state: 'pending', action: actionUntil(0) }, { kind: 'sync' }],
  ])('an authorization that waits for the payer, %s', (_case, changes, instruction) => {
    expect(instructionToResume({ ...waiting, ...changes } as Operation, now)).toEqual(instruction)
  })
})

describe('a response', () => {
  const declined = { code: 'payment_declined', decline_code: 'do_not_honor', retryable: true, provider_code: '05' }

  test.each<[OperationState, boolean, number, string | null]>([
    ['succeeded', true, 201, null],
    ['declined', true, 402, 'The provider declined the authorize: do_not_honor'],
    ['reversed', true, 402, 'The provider declined the authorize: do_not_honor'],
    ['not_attempted', false, 502, 'The authorize was not sent to the provider: do_not_honor'],
    ['in_progress', false, 202, null],
    ['action_required', false, 202, null],
    ['pending', false, 202, null],
    ['unknown', false, 202, null],
  ])('of an operation that is %s', (state, final, status, detail) => {
    const one = operation('authorize', 100, { ...dates, id: 'operation', transactionId: 'one', state, error: declined })
    expect(isFinal(one)).toBe(final)
    const response = toResult(aggregate([one], dates), one, 201, now)
    if (response.kind === 'reply') expect([response.value, detail]).toMatchObject([{ status }, null])
    else {
      expect([response.status, response.options.detail]).toEqual([status, detail])
      expect(response.options.extensions).toEqual({
        transaction_id: 'one',
        operation_id: 'operation',
        decline_code: 'do_not_honor',
        retryable: true,
        provider_code: '05',
      })
    }
  })

  test('of an operation without an error names no reason; the problem of a stage names the stage', () => {
    const one = operation('authorize', 100, { ...dates, state: 'declined', stage: 'authorize', error: null })
    const response = toResult(aggregate([one], dates), one, 201, now)
    expect(response).toMatchObject({
      options: {
        detail: 'The provider declined the authorize',
        extensions: { stage: 'authorize', decline_code: null, retryable: false, provider_code: null },
      },
    })
  })
})

describe('the operation that decides the response', () => {
  const authorize = operation('authorize', 100, { id: 'a', number: 1, stage: 'authorize' })
  const capture = operation('capture', 100, { id: 'c', number: 2, stage: 'capture', state: 'declined' })
  const refund = operation('refund', 10, { id: 'r', number: 3 })

  test.each([
    ['the capture that follows', [authorize, capture, refund], 'a', 'c'],
    ['the authorization itself, without a capture', [authorize], 'a', 'a'],
    ['a declined authorization', [{ ...authorize, state: 'declined' as const }, capture], 'a', 'a'],
    ['an authorization without a stage', [{ ...authorize, stage: null }, capture], 'a', 'a'],
    ['any other operation', [authorize, capture, refund], 'r', 'r'],
  ])('is %s', (_case, operations, id, expected) => {
    expect(effectiveOperation(aggregate(operations), id).id).toBe(expected)
  })

  test('belongs to the transaction', () => {
    expect(() => effectiveOperation(aggregate([authorize]), 'other')).toThrow('other does not belong')
  })
})

test('a new operation is leased, numbered, and has what its plan says', () => {
  const plan = {
    id: 'new',
    traceId: 'trace',
    actor: 'api_key:key',
    accountName: 'account',
    type: 'capture',
    amount: 70,
    amountReleased: 30,
    stage: 'capture',
  } as const
  const before = aggregate([operation('authorize', 100)], { id: 'one', tenantId: 'tenant' })
  expect(leaseUntil(now)).toEqual(new Date('2026-11-22T12:00:20.000Z'))
  expect(newOperation({ ...plan, dueAt: leaseUntil(now) }, before, now)).toEqual({
    ...plan,
    tenantId: 'tenant',
    transactionId: 'one',
    number: 2,
    state: 'in_progress',
    reason: null,
    items: null,
    providerReference: null,
    error: null,
    openReason: null,
    pendingReportedAt: null,
    action: null,
    authentication: null,
    voidRequest: null,
    resolution: null,
    attemptCount: 1,
    dueAt: leaseUntil(now),
    createdAt: now,
    completedAt: null,
  })
})

describe('work permits', () => {
  const log = createLog('test', 'silent')

  test('twenty in all, three per tenant; a failure returns its permit', async () => {
    const permits = createWorkPermits('test', log)
    const ends: (() => void)[] = []
    const start = (tenant: string) => permits.start(tenant, () => new Promise<void>((end) => ends.push(end)))
    for (let count = 0; count < 2; count += 1) start('busy')
    expect(permits.busyTenants()).toEqual([])
    start('busy')
    expect(permits.busyTenants()).toEqual(['busy'])
    for (let count = 3; count < 19; count += 1) start(`tenant ${count}`)
    expect(permits.hasFree()).toBe(true)
    permits.start('failing', () => new Promise((_, fail) => ends.push(() => fail(new Error('planned')))))
    expect(permits.hasFree()).toBe(false)
    for (const end of ends) end()
    await permits.settled()
    expect([permits.hasFree(), permits.busyTenants()]).toEqual([true, []])
  })
})

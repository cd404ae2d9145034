import { describe, expect, test } from '@jest/globals'
import { allowedActions, planAuthorize, planCapture, planVoid } from '../src/domain/action.ts'
import {
  isLeased,
  nextAttemptAfter,
  nextAttemptAt,
  type Operation,
  type OperationState,
} from '../src/domain/operation.ts'
import { afterOutcome, contradicts, type Outcome, requireSameAmount } from '../src/domain/outcome.ts'
import { markApplied, postponeEvent } from '../src/domain/provider-event.ts'
import { planRefund, refundsToSync } from '../src/domain/refund.ts'
import type { Transaction } from '../src/domain/transaction.ts'
import { aggregate, catchProblem, operation } from './domain-facts.ts'

/** The rules of operations and their outcomes at their bounds. */
const now = new Date('2026-11-22T12:00:00.000Z')
const dayMs = 24 * 60 * 60 * 1000
const before = (ms: number) => new Date(now.getTime() - ms)

describe('actions', () => {
  const declines = (count: number) =>
    Array.from({ length: count }, () => operation('authorize', 100, { state: 'declined' }))
  const expired = { authorizationExpiresAt: now }

  test.each<[string, Operation[], Partial<Transaction>, string[]]>([
    ['a new transaction', [], {}, ['complete', 'void']],
    ['after ten declines', declines(10), {}, ['complete', 'void']],
    ['after eleven declines', declines(11), {}, ['void']],
    ['authorized', [operation('authorize', 100)], {}, ['capture', 'void']],
    [
      'authorized, until 1 ms before the end',
      [operation('authorize', 100)],
      { authorizationExpiresAt: before(-1) },
      ['capture', 'void'],
    ],
    ['authorized, expired', [operation('authorize', 100)], expired, ['void']],
    ['captured', [operation('authorize', 100), operation('capture', 100)], {}, ['refund']],
    ['voided before an authorization', [operation('void', 0)], {}, []],
    ['captured but for 1', [operation('authorize', 100), operation('capture', 99)], {}, ['capture', 'void', 'refund']],
    ['captured in part', [operation('authorize', 100), operation('capture', 40)], {}, ['capture', 'void', 'refund']],
  ])('%s', (_case, operations, changes, expected) => {
    expect(allowedActions(aggregate(operations, changes), now)).toEqual(expected)
  })

  const partly = [operation('authorize', 100), operation('capture', 40)]
  test.each([
    ['an authorization', () => planAuthorize(aggregate([]), false, now), { type: 'authorize', amount: 100 }],
    [
      'an authorization with capture',
      () => planAuthorize(aggregate([]), true, now),
      { type: 'authorize', amount: 100, stage: 'authorize' },
    ],
    [
      'a capture of the rest',
      () => planCapture(aggregate(partly), { amount: undefined, final: false }, now),
      { type: 'capture', amount: 60, amountReleased: 0 },
    ],
    [
      'a final capture',
      () => planCapture(aggregate(partly), { amount: 50, final: true }, now),
      { type: 'capture', amount: 50, amountReleased: 10 },
    ],
    [
      'a void of the rest',
      () => planVoid(aggregate(partly), 'because', now),
      { type: 'void', amount: 60, reason: 'because' },
    ],
    ['a void without a reason', () => planVoid(aggregate(partly), undefined, now), { type: 'void', amount: 60 }],
    ['a refund of everything', () => planRefund(aggregate(partly), {}, now), { type: 'refund', amount: 40 }],
    [
      'a refund of a part',
      () => planRefund(aggregate(partly), { amount: 39, reason: 'late' }, now),
      { type: 'refund', amount: 39, reason: 'late' },
    ],
  ])('%s', (_case, plan, expected) => {
    expect(plan()).toEqual(expected)
  })

  test.each([
    [
      'a capture of more than is left',
      () => planCapture(aggregate(partly), { amount: 61, final: false }, now),
      ['amount_exceeds_capturable', '/amount'],
    ],
    [
      'a refund of more than was captured',
      () => planRefund(aggregate(partly), { amount: 41 }, now),
      ['amount_exceeds_refundable', '/amount'],
    ],
    [
      'an authorization of a captured transaction',
      () => planAuthorize(aggregate(partly), false, now),
      ['invalid_transaction_state'],
    ],
    [
      'anything beside an open operation',
      () => planVoid(aggregate([operation('authorize', 100, { state: 'unknown' })]), undefined, now),
      ['operation_in_progress'],
    ],
  ])('%s is rejected', (_case, plan, problem) => {
    expect(catchProblem(plan)).toEqual(problem)
  })
})

describe('operations', () => {
  test.each([
    [0, 10_000],
    [11_000, 11_000],
    [600_000, 600_000],
    [3_600_000, 3_600_000],
    [7_200_000, 3_600_000],
  ])('after %d ms the next attempt is %d ms later', (openMs, delayMs) => {
    expect(nextAttemptAfter(now.getTime() - openMs, now).getTime() - now.getTime()).toBe(delayMs)
  })

  const minuteMs = 60_000
  const actionUntil = (date: Date) =>
    ({ type: 'redirect', url: 'https://bank.test', expires_at: date.toISOString() }) as const
  const voidAt = (date: Date) => ({ reason: null, trace_id: 't', actor: 'platform', requested_at: date.toISOString() })

  test.each<[string, Partial<Operation>, number]>([
    ['started a minute ago', { createdAt: before(minuteMs), action: actionUntil(before(-minuteMs)) }, minuteMs],
    ['whose time has just ended', { createdAt: before(30 * minuteMs), action: actionUntil(now) }, 10_000],
    ['whose time ended before', { createdAt: before(40 * minuteMs), action: actionUntil(before(minuteMs)) }, minuteMs],
    [
      'with a void of now',
      { createdAt: before(minuteMs), action: actionUntil(before(-minuteMs)), voidRequest: voidAt(now) },
      10_000,
    ],
  ])('after many attempts, the next one about a payment %s is after that time', (_of, changes, delayMs) => {
    const waiting = operation('authorize', 1, { state: 'in_progress', attemptCount: 20, ...changes })
    expect(nextAttemptAt(waiting, now).getTime() - now.getTime()).toBe(delayMs)
  })

  test('an operation in progress is leased until the end of its lease', () => {
    const leased = operation('capture', 1, { state: 'in_progress', dueAt: before(-1) })
    expect(isLeased(leased, now)).toBe(true)
    expect(
      [{ dueAt: now }, { dueAt: null }, { state: 'pending' as const }].map((changes) =>
        isLeased({ ...leased, ...changes }, now),
      ),
    ).toEqual([false, false, false])
  })
})

describe('outcomes', () => {
  const states: OperationState[] = [
    'in_progress',
    'succeeded',
    'declined',
    'pending',
    'not_attempted',
    'unknown',
    'reversed',
  ]
  test.each<[Outcome['kind'], OperationState[]]>([
    ['succeeded', ['declined', 'not_attempted']],
    ['declined', ['succeeded']],
    ['not_attempted', ['succeeded']],
    ['pending', []],
    ['unknown', []],
  ])('a report of %s contradicts exactly these states', (kind, contradicted) => {
    const outcome = { kind } as Outcome
    expect(states.filter((state) => contradicts(outcome, { state }))).toEqual(contradicted)
  })

  test('a success with another amount or currency is unknown', () => {
    const success = { kind: 'succeeded', amount: 5, currency: 'EUR' } as Outcome
    expect(requireSameAmount(success, 5, 'EUR')).toBe(success)
    expect([requireSameAmount(success, 6, 'EUR').kind, requireSameAmount(success, 5, 'USD').kind]).toEqual([
      'unknown',
      'unknown',
    ])
  })
})

describe('refunds that a provider may still fail', () => {
  const refund = (completedAt: Date | null, changes: Partial<Operation> = {}) =>
    operation('refund', 1, { completedAt, ...changes })

  test('are succeeded refunds of less than 30 days', () => {
    const recent = refund(before(30 * dayMs - 1))
    const others = [
      refund(before(30 * dayMs)),
      refund(null),
      refund(before(dayMs), { state: 'declined' }),
      refund(before(dayMs), { type: 'capture' }),
    ]
    expect(refundsToSync([...others, recent], now)).toEqual([recent])
  })

  test('are the latest ten', () => {
    const refunds = Array.from({ length: 12 }, (_, number) => refund(before(dayMs), { number }))
    expect(refundsToSync(refunds, now)).toEqual(refunds.slice(2))
  })
})

test.each([
  [3_600_000, null],
  [3_600_000 - 1, new Date(now.getTime() + 3_600_000 - 1)],
  [1_000, new Date(now.getTime() + 10_000)],
])('an event received %d ms ago is tried again at %p', (ageMs, dueAt) => {
  const event = { attemptCount: 1, receivedAt: before(ageMs) } as Parameters<typeof postponeEvent>[0]
  expect(postponeEvent(event, now)).toMatchObject({ attemptCount: 2, dueAt })
})

test('an applied event is not tried again', () => {
  const event = { attemptCount: 1, dueAt: now } as Parameters<typeof markApplied>[0]
  expect(markApplied(event, now)).toEqual({ attemptCount: 2, appliedAt: now, dueAt: null })
})

test.each([
  ['new', 'new'],
  [null, 'known'],
])('a pending outcome with the reference %p leaves the reference %p', (providerReference, expected) => {
  const open = operation('authorize', 1, {
    state: 'in_progress',
    providerReference: 'known',
    attemptCount: 1,
    createdAt: now,
  })
  const after = afterOutcome(open, { kind: 'pending', providerReference }, now)
  expect([after.state, after.providerReference]).toEqual(['pending', expected])
})

test('an operation that did not reach the provider may be repeated', () => {
  const open = operation('authorize', 100, { state: 'in_progress', openReason: null, attemptCount: 1, createdAt: now })
  const after = afterOutcome(open, { kind: 'not_attempted', reason: 'refused' }, now)
  expect(after).toMatchObject({
    state: 'not_attempted',
    completedAt: now,
    error: { code: 'provider_unreachable', retryable: true, decline_code: null, provider_code: null },
  })
})

import { expect, test } from '@jest/globals'
import { type AttemptOutcome, decideAttempt, decideForm, type VisitStatus } from '../src/domain/form-decision.ts'
import { issueNonce } from '../src/domain/nonce.ts'

const value = 'c0de'
const now = new Date('2026-03-01T12:00:00Z')
const code = { tenantId: 'tenant', version: 3, amount: 1_000, currency: 'EUR' }
const paymentDetails = { payment_method: 'CREDIT_CARD', cc_token: 'tok_visa' } as const
const payment = { tenantId: 'tenant', version: 3, paymentDetails }

const forms = {
  valid: { nonce: issueNonce(value, code, now), paymentDetails },
  stale: { nonce: issueNonce(value, { ...code, version: 2 }, now), paymentDetails },
  unreadable: undefined,
}
const visitedAs = (status: VisitStatus | null) => (status === null ? null : { status, code, now })

test.each([
  ['active', { valid: payment, stale: 'stale', unreadable: 'unreadable' }],
  ['processing', { valid: 'processing', stale: 'processing', unreadable: 'processing' }],
  ['completed', { valid: 'outcome', stale: 'outcome', unreadable: 'outcome' }],
  ['expired', { valid: 'page', stale: 'page', unreadable: 'page' }],
  ['canceled', { valid: 'page', stale: 'page', unreadable: 'page' }],
  ['test', { valid: 'page', stale: 'page', unreadable: 'page' }],
  ['unavailable', { valid: 'page', stale: 'page', unreadable: 'page' }],
  [null, { valid: 'page', stale: 'page', unreadable: 'page' }],
] as const)('decides the forms for a code that is %s', (status, expected) => {
  const decide = (form: keyof typeof forms) => decideForm(value, visitedAs(status), forms[form])
  expect({ valid: decide('valid'), stale: decide('stale'), unreadable: decide('unreadable') }).toEqual(expected)
})

test('a nonce pays for an hour, with its own code', () => {
  const visitedAfter = (minutes: number) =>
    ({ status: 'active', code, now: new Date(+now + minutes * 60_000) }) as const
  expect(decideForm(value, visitedAfter(59), forms.valid)).toEqual(payment)
  expect(decideForm(value, visitedAfter(60), forms.valid)).toBe('stale')
  expect(decideForm('other', visitedAfter(0), forms.valid)).toBe('stale')
})

const outcomes: readonly AttemptOutcome[] = ['taken', 'overloaded', 'limited', 'stale']

test.each([
  ['active', ['outcome', 'overloaded', 'limited', 'stale']],
  ['processing', ['outcome', 'processing', 'processing', 'processing']],
  ['completed', ['outcome', 'outcome', 'outcome', 'outcome']],
  ['expired', ['outcome', 'page', 'page', 'page']],
  ['canceled', ['outcome', 'page', 'page', 'page']],
  ['test', ['outcome', 'page', 'page', 'page']],
  ['unavailable', ['outcome', 'page', 'page', 'page']],
  [null, ['outcome', 'page', 'page', 'page']],
] as const)('decides the attempts to pay a code that is %s afterwards', (status, expected) => {
  expect(outcomes.map((outcome) => decideAttempt(outcome, visitedAs(status)))).toEqual(expected)
})

import { expect, test } from '@jest/globals'
import {
  bindToAccount,
  type Instruction,
  type ProviderRequest,
  provenOutcome,
} from '../src/connectors/provider-request.ts'
import type { Outcome } from '../src/domain/outcome.ts'

/** A denial by the provider of what an earlier attempt has sent. */
const now = new Date()
const neverReported = { providerReference: null, pendingReportedAt: null, action: null }
const operation = { accountName: 'account', attemptCount: 2, ...neverReported }
const instructions: { readonly [Kind in Instruction['kind']]: Instruction } = {
  execute: { kind: 'execute', paymentDetails: null },
  sync: { kind: 'sync' },
  cancel: { kind: 'cancel', reason: 'requested' },
}
const outcomes = {
  not_attempted: { kind: 'not_attempted', reason: 'never received' },
  declined: {
    ...{ kind: 'declined', providerReference: null, declineCode: 'card_declined' },
    ...{ retryable: false, providerCode: null },
  },
} as const satisfies Record<string, Outcome>
const action = { type: 'redirect', url: 'https://bank.example', expires_at: now.toISOString() } as const

function proveKind(
  outcome: keyof typeof outcomes,
  instruction: Instruction['kind'],
  changes: object,
  name: string,
): Outcome['kind'] {
  const request = { operation: { ...operation, ...changes }, instruction: instructions[instruction] }
  return provenOutcome(outcomes[outcome], request as Parameters<typeof provenOutcome>[1], { name }).kind
}

test.each<[string, keyof typeof outcomes, Instruction['kind'], Outcome['kind']]>([
  ['a sync by an account that knows no operation', 'not_attempted', 'sync', 'unknown'],
  ['a cancellation by it', 'not_attempted', 'cancel', 'unknown'],
  ['a repetition that it declines', 'declined', 'execute', 'unknown'],
  ['a decline that is read', 'declined', 'sync', 'declined'],
])('of another account than when it began, %s', (_case, outcome, instruction, kind) => {
  expect(proveKind(outcome, instruction, {}, 'other')).toBe(kind)
  expect(proveKind(outcome, instruction, { accountName: null }, 'account')).toBe(kind)
  expect(proveKind(outcome, instruction, {}, 'account')).toBe(outcomes[outcome].kind)
})

test('a first attempt that was not sent is not attempted, whatever has changed', () => {
  expect(proveKind('not_attempted', 'execute', { attemptCount: 1 }, 'other')).toBe('not_attempted')
})

test.each<[string, object]>([
  ['a reference', { providerReference: 'ref_1' }],
  ['that it is pending', { pendingReportedAt: now }],
  ['an action', { action }],
])('an operation of which the provider has reported %s does not end as not attempted', (_case, reported) => {
  for (const instruction of ['sync', 'cancel'] as const) {
    expect(proveKind('not_attempted', instruction, reported, 'account')).toBe('unknown')
  }
  expect(proveKind('declined', 'sync', reported, 'account')).toBe('declined')
})

test.each<[string, number, string | null, Instruction['kind'], string[]]>([
  ['a first attempt to another account stores it before it is sent', 1, 'account', 'execute', ['other']],
  ['a later attempt to another account reads the outcome', 2, 'account', 'sync', []],
  ['an operation without a stored account stores it', 2, null, 'execute', ['other']],
  ['an attempt to the stored account is sent', 2, 'other', 'execute', []],
])('%s', async (_case, attemptCount, accountName, kind, stored) => {
  const names: string[] = []
  const storeAccountName = async (name: string) => void names.push(name)
  const request = {
    operation: { ...operation, accountName, attemptCount },
    instruction: instructions.execute,
    storeAccountName,
  }
  const bound = await bindToAccount({ name: 'other' }, request as unknown as ProviderRequest)
  expect([bound.instruction.kind, names]).toEqual([kind, stored])
  if (kind === 'execute') expect(bound.operation.accountName).toBe('other')
})

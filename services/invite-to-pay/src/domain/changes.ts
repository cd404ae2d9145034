import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { isRecipient } from '@payments/contracts/nouns/communication-text'
import { recipientError } from '@payments/contracts/nouns/invitation'
import { problems } from '@payments/contracts/services/invite-to-pay/contract'
import type { CodeFacts } from './code.ts'
import type { CodeStatus } from './code-state.ts'

/** The problem of an action that the status of a code does not allow. */
export const notActive = (status: CodeStatus): Problem =>
  new Problem(problems.code_not_active, { detail: `The code is ${status}` })

/** Throws invalid_request for a recipient that the channel of the code cannot reach. */
export function requireRecipient({ communicationType }: Pick<CodeFacts, 'communicationType'>, recipient: string): void {
  if (isRecipient(communicationType, recipient)) return
  const errors = [{ pointer: '/recipient', detail: recipientError.error }]
  throw new Problem(commonProblems.invalid_request, { errors })
}

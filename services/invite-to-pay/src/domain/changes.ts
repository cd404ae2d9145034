import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { isRecipient, recipientErrors, variablesMax } from '@payments/contracts/nouns/communication-text'
import type { CommunicationDetailsChange } from '@payments/contracts/nouns/invitation'
import { problems } from '@payments/contracts/services/invite-to-pay/contract'
import type { CodeFacts } from './code.ts'
import type { CodeStatus } from './code-state.ts'

/** The problem of an action that the status of a code does not allow. */
export const notActive = (status: CodeStatus): Problem =>
  new Problem(problems.code_not_active, { detail: `The code is ${status}` })

type Details = CodeFacts['communicationDetails']

/**
 * The details after a change of the given members: null removes a member, or all of them.
 * Throws invalid_request for more variables than a message can have.
 */
export function changedDetails(details: Details, change: CommunicationDetailsChange | null | undefined): Details {
  if (change === undefined) return details
  const changed = change === null ? {} : (mergePatch(details, change) as Details)
  if (Object.keys(changed.variables ?? {}).length <= variablesMax) return changed
  const errors = [
    { pointer: '/communication_details/variables', detail: `leads to more than ${variablesMax} variables` },
  ]
  throw new Problem(commonProblems.invalid_request, { errors })
}

/** RFC 7396. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (patch === null || typeof patch !== 'object' || Array.isArray(patch)) return patch
  const merged = new Map(target !== null && typeof target === 'object' ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), value))
  }
  return Object.fromEntries(merged)
}

/** Throws invalid_request for a recipient that the channel of the code cannot reach. */
export function requireRecipient({ communicationType }: Pick<CodeFacts, 'communicationType'>, recipient: string): void {
  if (isRecipient(communicationType, recipient)) return
  const errors = [{ pointer: '/recipient', detail: recipientErrors[communicationType] }]
  throw new Problem(commonProblems.invalid_request, { errors })
}

import type { Outcome } from '../domain/outcome.ts'
import type { SandboxRow } from '../store/sandbox-operations.ts'
import { type DeclineCode, isRetryable } from './decline-code.ts'
import { buildAction, presentAuthentication } from './sandbox-challenge.ts'
import type { TestCard } from './sandbox-token.ts'

export interface SandboxOptions {
  /** Origin of the page of the bank. */
  readonly ownOrigin: string
  readonly now: () => Date
}

/** The outcome of a row in the ledger, as the sandbox reports it. */
export function toOutcome(
  row: SandboxRow,
  card: TestCard | undefined,
  { ownOrigin }: Pick<SandboxOptions, 'ownOrigin'>,
): Outcome {
  switch (row.state) {
    case 'succeeded': {
      const { amount, currency } = row
      const done = {
        kind: 'succeeded',
        providerReference: formatReference(row),
        amount,
        currency,
        ...presentAuthentication(row),
      } as const
      if (row.type !== 'authorize' || card === undefined) return done
      const { brand, last4, expiresInMs } = card
      const paymentMethod = { type: row.paymentMethod ?? 'CREDIT_CARD', brand, last4 }
      if (expiresInMs === null) return { ...done, paymentMethod }
      const authorizationExpiresAt = new Date(row.receivedAt.getTime() + expiresInMs)
      return { ...done, paymentMethod, authorizationExpiresAt }
    }
    case 'declined': {
      const declineCode = (row.declineCode ?? 'processing_error') as DeclineCode
      const retryable = isRetryable(declineCode)
      const providerReference = formatReference(row)
      const declined = {
        kind: 'declined',
        providerReference,
        declineCode,
        retryable,
        providerCode: declineCode,
      } as const
      return { ...declined, ...presentAuthentication(row) }
    }
    case 'action_required':
      return { kind: 'action_required', providerReference: formatReference(row), action: buildAction(row, ownOrigin) }
    case 'pending':
      return pendingOutcome(row)
    case 'never_received':
      return { kind: 'not_attempted', reason: 'the sandbox received a sync of the operation before the operation' }
  }
}

export function pendingOutcome(row: SandboxRow): Outcome {
  return { kind: 'pending', providerReference: formatReference(row) }
}

export function formatReference({ id }: SandboxRow): string {
  return `sbx_${id.replaceAll('-', '')}`
}

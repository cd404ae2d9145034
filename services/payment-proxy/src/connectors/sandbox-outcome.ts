import { randomBytes } from 'node:crypto'
import type { PaymentAction, PaymentAuthentication } from '@payments/contracts/nouns/transaction'
import type { Outcome } from '../domain/outcome.ts'
import type { SandboxRow } from '../store/sandbox-operations.ts'
import { buildDecline, type DeclineCode } from './decline-code.ts'
import type { Fault, TestCard } from './sandbox-token.ts'

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
  const providerReference = formatReference(row)
  switch (row.state) {
    case 'succeeded': {
      const { amount, currency } = row
      const done = { kind: 'succeeded', providerReference, amount, currency, ...presentAuthentication(row) } as const
      if (row.type !== 'authorize' || card === undefined) return done
      const { brand, last4, expiresInMs } = card
      const paymentMethod = { type: row.paymentMethod ?? 'CREDIT_CARD', brand, last4 }
      if (expiresInMs === null) return { ...done, paymentMethod }
      const authorizationExpiresAt = new Date(row.receivedAt.getTime() + expiresInMs)
      return { ...done, paymentMethod, authorizationExpiresAt }
    }
    case 'declined': {
      const declineCode = (row.declineCode ?? 'processing_error') as DeclineCode
      return { ...buildDecline(providerReference, declineCode, declineCode), ...presentAuthentication(row) }
    }
    case 'action_required':
      return { kind: 'action_required', providerReference, action: buildAction(row, ownOrigin) }
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

/** The columns of an authorization that waits for the payer at the bank of the sandbox. */
type Challenge = Pick<SandboxRow, 'challenge' | 'returnUrl' | 'actionExpiresAt'>

export const withoutChallenge: Challenge = { challenge: null, returnUrl: null, actionExpiresAt: null }

const challengeBytes = 16
const decisionMs = 30 * 60 * 1000
/** Of the token `challenge_abandoned`, so that a test sees the end of the time. */
const abandonedMs = 60_000

export function createChallenge(
  { ends }: Extract<Fault, { kind: 'challenge' }>,
  returnUrl: string | null,
  receivedAt: Date,
): Challenge {
  const challenge = randomBytes(challengeBytes).toString('base64url')
  const timeMs = ends === 'never' ? abandonedMs : decisionMs
  return { challenge, returnUrl, actionExpiresAt: new Date(receivedAt.getTime() + timeMs) }
}

/** The page at which the payer of an authorization decides. */
function buildAction({ challenge, actionExpiresAt }: SandboxRow, ownOrigin: string): PaymentAction {
  if (challenge === null || actionExpiresAt === null) throw new Error('the authorization does not wait for the payer')
  return {
    type: 'redirect',
    url: `${ownOrigin}/pay/sandbox-bank/${challenge}`,
    expires_at: actionExpiresAt.toISOString(),
  }
}

/** The payer has decided; a cancellation has not. */
export const isDecided = ({ state, declineCode }: SandboxRow): boolean =>
  state === 'succeeded' || declineCode === 'authentication_failed'

/** As a provider reports 3-D Secure: of an authorization that the payer has decided about. */
function presentAuthentication({ id, challenge, state, declineCode }: SandboxRow): {
  readonly authentication?: PaymentAuthentication
} {
  if (challenge === null) return {}
  const decided = { version: '2.2.0', transaction_id: id }
  if (state === 'succeeded') return { authentication: { ...decided, result: 'authenticated', eci: '05' } }
  if (declineCode !== 'authentication_failed') return {}
  return { authentication: { ...decided, result: 'failed', eci: '07' } }
}

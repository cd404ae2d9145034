import { randomBytes } from 'node:crypto'
import type { PaymentAction, PaymentAuthentication } from '@payments/contracts/nouns/transaction'
import type { SandboxRow } from '../store/sandbox-operations.ts'
import type { Fault } from './sandbox-token.ts'

/** The columns of an authorization that waits for the payer at the bank of the sandbox. */
type Challenge = Pick<SandboxRow, 'challenge' | 'returnUrl' | 'actionExpiresAt'>

export const withoutChallenge: Challenge = { challenge: null, returnUrl: null, actionExpiresAt: null }

const challengeBytes = 16
const decisionMs = 30 * 60 * 1000
/** Of the token `challenge_abandoned`, so that a test sees the end of the time. */
const abandonedMs = 60_000

export function createChallenge(
  { ends }: Extract<Fault, { kind: 'challenge' }>,
  { returnUrl }: Pick<Challenge, 'returnUrl'>,
  receivedAt: Date,
): Challenge {
  const challenge = randomBytes(challengeBytes).toString('base64url')
  const timeMs = ends === 'never' ? abandonedMs : decisionMs
  return { challenge, returnUrl, actionExpiresAt: new Date(receivedAt.getTime() + timeMs) }
}

/** The page at which the payer of an authorization decides. */
export function buildAction({ challenge, actionExpiresAt }: SandboxRow, ownOrigin: string): PaymentAction {
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
export function presentAuthentication({ id, challenge, state, declineCode }: SandboxRow): {
  readonly authentication?: PaymentAuthentication
} {
  if (challenge === null) return {}
  const decided = { version: '2.2.0', transaction_id: id }
  if (state === 'succeeded') return { authentication: { ...decided, result: 'authenticated', eci: '05' } }
  if (declineCode !== 'authentication_failed') return {}
  return { authentication: { ...decided, result: 'failed', eci: '07' } }
}

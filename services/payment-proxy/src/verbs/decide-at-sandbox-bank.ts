import type { PublicCaller } from '@payments/chassis/base/caller'
import { isFromOwnPage, readForm } from '@payments/chassis/request/form'
import type { PageReply, RawBody } from '@payments/contracts/grammar/contract'
import { isDecided, toOutcome } from '../connectors/sandbox-outcome.ts'
import { findFault, findTestCard } from '../connectors/sandbox-token.ts'
import type { Deps } from '../deps.ts'
import type { KnownOutcome } from '../domain/outcome.ts'
import { reportSandboxOutcome } from '../operation/sandbox-report.ts'
import { endedPage, returnTo, unknownPage, unreadablePage } from '../page/sandbox-bank.ts'
import type { Tx } from '../store/database.ts'
import {
  findByChallenge,
  lockSandboxOperations,
  type SandboxRow,
  updateSandboxOperation,
} from '../store/sandbox-operations.ts'

type BankDecision = 'confirm' | 'decline'

/**
 * Decides a payment of the sandbox, reports the outcome like a provider webhook, and leads the payer back. A second
 * decision changes nothing and leads back too. After a cancellation, or the end of the time, nothing can be decided.
 */
export async function decideAtSandboxBank(
  { db, payBaseUrl, now }: Pick<Deps, 'db' | 'payBaseUrl' | 'now'>,
  { recordTenant }: PublicCaller,
  challenge: string,
  form: RawBody,
): Promise<PageReply> {
  const found = await db.acrossTenants((tx) => findByChallenge(tx, challenge))
  if (found === null) return unknownPage()
  recordTenant(found.tenantId)
  const decision = isFromOwnPage(form, payBaseUrl) ? readDecision(form) : undefined
  if (decision === undefined) return unreadablePage()
  return db.inTenant(found.tenantId, async (tx) => {
    const [row] = await lockSandboxOperations(tx, found.tenantId, found.authorizationId)
    if (row === undefined || row.returnUrl === null) return endedPage()
    if (row.state !== 'action_required') return isDecided(row) ? returnTo(row.returnUrl) : endedPage()
    const at = now()
    if (row.actionExpiresAt === null || row.actionExpiresAt <= at) return endedPage()
    await decide(tx, row, decision, at)
    return returnTo(row.returnUrl)
  })
}

async function decide(tx: Tx, row: SandboxRow, decision: BankDecision, at: Date): Promise<void> {
  const token = row.token ?? ''
  const fault = findFault(token, 'authorize', row.amount)
  const { ends, delayMs } = fault?.kind === 'challenge' ? fault : { ends: 'succeeded' as const, delayMs: 0 }
  // The bank of this token never responds.
  if (ends === 'never') return
  const isConfirmed = decision === 'confirm' && ends === 'succeeded'
  const respondsAt = new Date(at.getTime() + (isConfirmed ? delayMs : 0))
  const decided: SandboxRow = isConfirmed
    ? { ...row, state: 'succeeded', respondsAt }
    : { ...row, state: 'declined', declineCode: 'authentication_failed', respondsAt }
  await updateSandboxOperation(tx, row.tenantId, decided)
  const outcome = toOutcome(decided, findTestCard(token), { ownOrigin: '' }) as KnownOutcome
  await reportSandboxOutcome(tx, decided, outcome, { receivedAt: at, dueAt: respondsAt })
}

/** Undefined for anything that the form does not submit. */
function readDecision(form: RawBody): BankDecision | undefined {
  const [[name, value] = [], ...others] = readForm(form) ?? []
  if (others.length > 0 || name !== 'decision') return undefined
  return value === 'confirm' || value === 'decline' ? value : undefined
}

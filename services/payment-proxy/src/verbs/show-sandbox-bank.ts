import type { PublicCaller } from '@payments/chassis/base/caller'
import type { PageReply } from '@payments/contracts/grammar/contract'
import { isDecided } from '../connectors/sandbox-outcome.ts'
import type { Deps } from '../deps.ts'
import { decisionPage, endedPage, returnTo, unknownPage } from '../page/sandbox-bank.ts'
import { findByChallenge } from '../store/sandbox-operations.ts'

/** Shows the payment that a test payer decides about; leads back one who has decided. Changes nothing. */
export async function showSandboxBank(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { recordTenant }: PublicCaller,
  challenge: string,
): Promise<PageReply> {
  const row = await db.acrossTenants((tx) => findByChallenge(tx, challenge))
  if (row === null) return unknownPage()
  recordTenant(row.tenantId)
  const isOpen = row.state === 'action_required' && row.actionExpiresAt !== null && row.actionExpiresAt > now()
  if (isOpen) return decisionPage(row)
  return row.returnUrl !== null && isDecided(row) ? returnTo(row.returnUrl) : endedPage()
}

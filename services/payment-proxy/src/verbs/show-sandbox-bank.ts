import type { PublicCaller } from '@payments/chassis/base/caller'
import type { PageReply } from '@payments/contracts/grammar/contract'
import type { Deps } from '../deps.ts'
import { decisionPage, endedPage, unknownPage } from '../page/sandbox-bank.ts'
import { findByChallenge } from '../store/sandbox-operations.ts'

/** Shows the payment that a test payer decides about. Changes nothing. */
export async function showSandboxBank(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { recordTenant }: PublicCaller,
  challenge: string,
): Promise<PageReply> {
  const row = await db.acrossTenants((tx) => findByChallenge(tx, challenge))
  if (row === null) return unknownPage()
  recordTenant(row.tenantId)
  const isOpen = row.state === 'action_required' && row.actionExpiresAt !== null && row.actionExpiresAt > now()
  return isOpen ? decisionPage(row) : endedPage()
}

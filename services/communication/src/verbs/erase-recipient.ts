import { erased as marker } from '@payments/contracts/nouns/payer-erasure'
import type { Deps } from '../deps.ts'
import { eraseOutboxRecipient } from '../store/outbox-messages.ts'
import { eraseRecipient as eraseFromMails } from '../store/user-invitation-mails.ts'

/**
 * Erases the address of a person from the mails of user invitations, of every tenant. A queued mail is not sent. Payers
 * are the tenants' own: erase-payer.ts erases them.
 */
export async function eraseRecipient(deps: Pick<Deps, 'db' | 'now'>, recipient: string): Promise<{ erased: number }> {
  return deps.db.acrossTenants(async (tx) => {
    const erased = await eraseFromMails(tx, recipient, marker, deps.now())
    await eraseOutboxRecipient(tx, recipient)
    return { erased }
  })
}

import { databaseNow } from '@payments/chassis/database/database-now'
import { identityContract } from '@payments/contracts/services/identity/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import { presentInvitationEvent, statusAt } from '../domain/user-invitation.ts'
import type { Tx } from '../store/database.ts'
import * as invitations from '../store/user-invitations.ts'

/** Erases the email address of the invitations of a person, in a transaction across tenants. Open ones are canceled. */
export async function eraseInvitations(
  tx: Tx,
  person: { readonly userId: string; readonly email: string | null },
  traceId: string,
): Promise<void> {
  const now = await databaseNow(tx)
  const found = await invitations.lockInvitationsOfPerson(tx, person)
  for (const { id, tenantId } of found.filter((one) => statusAt(one, now) === 'open')) {
    const canceled = await invitations.cancel(tx, tenantId, id, now)
    const payload = presentInvitationEvent(canceled, now)
    const type = 'identity.user-invitations.cancel'
    await emit(tx, identityContract.events, { type, tenantId, businessUnitId: null, traceId, payload })
  }
  await invitations.eraseEmails(
    tx,
    found.map(({ id }) => id),
  )
}

import { newId } from '@payments/chassis/base/id'
import type { Deps } from '../deps.ts'
import { newSecret } from '../domain/sign-in.ts'
import { invitationLink, tokenPurpose } from '../domain/user-invitation.ts'
import type { InvitationRow } from '../store/user-invitations.ts'

/** Id and token of an invitation that is not stored yet. Never inside a transaction. */
export async function newInvitationSecret({ vault }: Pick<Deps, 'vault'>, tenantId: string) {
  const [id, token] = [newId(), newSecret()]
  const tokenEncrypted = await vault.encrypt({ purpose: tokenPurpose, tenantId, recordId: id }, token)
  return { id, token, tokenEncrypted }
}

/** The link of a stored invitation. Decrypts its token: never inside a transaction. */
export async function decryptLink(
  { vault, consoleOrigin }: Pick<Deps, 'vault' | 'consoleOrigin'>,
  { tenantId, id, tokenEncrypted }: Pick<InvitationRow, 'tenantId' | 'id'> & { readonly tokenEncrypted: Uint8Array },
): Promise<string> {
  const token = await vault.decrypt({ purpose: tokenPurpose, tenantId, recordId: id }, tokenEncrypted)
  return invitationLink(consoleOrigin, token)
}

import { newId } from '@payments/chassis/base/id'
import type { Deps } from '../deps.ts'
import { newSecret } from '../domain/sign-in.ts'
import { invitationLink, tokenPurpose } from '../domain/user-invitation.ts'

/** Id and token of an invitation that is not stored yet. */
export interface InvitationSecret {
  readonly id: string
  readonly token: string
  readonly tokenEncrypted: Uint8Array<ArrayBuffer>
}

/** Never inside a transaction. */
export async function newInvitationSecret({ vault }: Pick<Deps, 'vault'>, tenantId: string): Promise<InvitationSecret> {
  const [id, token] = [newId(), newSecret()]
  const tokenEncrypted = await vault.encrypt({ purpose: tokenPurpose, tenantId, recordId: id }, token)
  return { id, token, tokenEncrypted }
}

/** The link of a stored invitation. Decrypts its token: never inside a transaction. */
export async function decryptLink(
  { vault, consoleOrigin }: Pick<Deps, 'vault' | 'consoleOrigin'>,
  {
    tenantId,
    id,
    tokenEncrypted,
  }: { readonly tenantId: string; readonly id: string; readonly tokenEncrypted: Uint8Array },
): Promise<string> {
  return invitationLink(
    consoleOrigin,
    await vault.decrypt({ purpose: tokenPurpose, tenantId, recordId: id }, tokenEncrypted),
  )
}

import { tokenPurpose } from './user-invitation.ts'

export const encryptedColumns = [
  { table: 'user_invitations', id: 'id', column: 'token_encrypted', purpose: tokenPurpose },
]

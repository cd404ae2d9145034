import { authenticationPurpose } from './gateway-authentication.ts'

/** The column that stores encrypted credentials. */
export const encryptedColumns = [
  {
    table: 'payment_orchestrators',
    id: 'id',
    column: 'gateway_authentication_encrypted',
    purpose: authenticationPurpose,
  },
]

import { authenticationPurpose } from './gateway-authentication.ts'

export const encryptedColumns = [
  {
    table: 'payment_orchestrators',
    id: 'id',
    column: 'gateway_authentication_encrypted',
    purpose: authenticationPurpose,
  },
]

import type { EncryptedColumn } from '@payments/vault/reencrypt'
import { authenticationPurpose } from '../domain/gateway-authentication.ts'

/** The column that stores encrypted credentials. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  {
    table: 'payment_orchestrators',
    id: 'id',
    column: 'gateway_authentication_encrypted',
    purpose: authenticationPurpose,
  },
]

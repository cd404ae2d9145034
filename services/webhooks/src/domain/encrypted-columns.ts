import { configPurpose } from './auth-info.ts'
import { secretPurpose } from './subscription.ts'

export const encryptedColumns = [
  { table: 'subscriptions', id: 'id', column: 'secret_encrypted', purpose: secretPurpose },
  { table: 'subscriptions', id: 'id', column: 'previous_secret_encrypted', purpose: secretPurpose },
  { table: 'auth_infos', id: 'id', column: 'config_encrypted', purpose: configPurpose },
]

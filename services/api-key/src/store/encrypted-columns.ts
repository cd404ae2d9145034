import type { EncryptedColumn } from '@payments/vault/reencrypt'
import { valuePurpose as purpose } from '../domain/key-value.ts'

/** The columns that store encrypted values of keys. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: 'keys', id: 'id', column: 'value_encrypted', purpose },
  { table: 'previous_values', id: 'key_id', column: 'value_encrypted', purpose },
]

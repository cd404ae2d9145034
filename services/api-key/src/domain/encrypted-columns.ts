import { valuePurpose as purpose } from './key-value.ts'

export const encryptedColumns = [
  { table: 'keys', id: 'id', column: 'value_encrypted', purpose },
  { table: 'previous_values', id: 'key_id', column: 'value_encrypted', purpose },
]

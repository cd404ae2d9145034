import type { EncryptedColumn } from '@payments/vault/reencrypt'
import { codePurpose } from '../domain/code-value.ts'

/** The column that stores encrypted values of links. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: 'codes', id: 'id', column: 'code_encrypted', purpose: codePurpose },
]

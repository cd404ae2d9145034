import { codePurpose } from './code-value.ts'

/** The column that stores encrypted values of links. */
export const encryptedColumns = [{ table: 'codes', id: 'id', column: 'code_encrypted', purpose: codePurpose }]

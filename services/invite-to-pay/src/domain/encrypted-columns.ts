import { codePurpose } from './code-value.ts'

export const encryptedColumns = [{ table: 'codes', id: 'id', column: 'code_encrypted', purpose: codePurpose }]

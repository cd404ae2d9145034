import { hash, randomBytes } from 'node:crypto'

/** Purpose of the vault: the value in the link of a code, bound to the id of the code. */
export const codePurpose = 'invite-to-pay.code'

export const encryptedColumns = [{ table: 'codes', id: 'id', column: 'code_encrypted', purpose: codePurpose }]

/** 128 random bits as 22 characters of base64url. */
export const newCodeValue = (): string => randomBytes(16).toString('base64url')

/** Finds the code of a value. Any text has a hash, so values that are no code take the same path as codes. */
export const hashCode = (value: string): Uint8Array<ArrayBuffer> => Uint8Array.from(hash('sha256', value, 'buffer'))

/** Address of the pay page. `baseUrl` is an origin. */
export const payLink = (baseUrl: string, value: string): string => new URL(payPath(value), baseUrl).href

/** Path of the pay page. */
export const payPath = (value: string): string => `/pay/${encodeURIComponent(value)}`

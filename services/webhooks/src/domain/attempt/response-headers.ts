import { credentialMask } from '@payments/contracts/services/webhooks/auth-info'
import type { CredentialMasking } from '../auth-info/credential-masking.ts'

/** The headers of a response that an attempt stores: those that help to debug a receiver and carry no credentials. */
export type ResponseHeaders = Readonly<Record<string, string>>

const storedNames = [
  ...['content-type', 'content-length', 'date', 'server', 'retry-after', 'location'],
  ...['x-request-id', 'request-id', 'cf-ray', 'via'],
] as const

/** Of all names and values together: at most 2 KiB, since Node decodes headers as ISO 8859-1. */
const charactersMax = 1024
const controls = /\p{Cc}/gu

/**
 * Values beyond the limit are cut or left out, after the credentials of the request were masked. When a credential was
 * sent in the query, `location` is stored without its query and fragment: a redirect repeats the query.
 */
export function selectHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  masking: CredentialMasking,
  queryHasCredential: boolean,
): ResponseHeaders {
  const stored: Record<string, string> = {}
  let left = charactersMax
  for (const name of storedNames) {
    const received = headers[name]
    if (typeof received !== 'string') continue
    const masked = masking.text(received)
    const value = name === 'location' && queryHasCredential ? masked.replace(/[?#].*$/, `?${credentialMask}`) : masked
    left -= name.length
    if (left <= 0) break
    // The database rejects a text with NUL.
    stored[name] = value.slice(0, left).replaceAll(controls, '')
    left -= value.length
  }
  return stored
}

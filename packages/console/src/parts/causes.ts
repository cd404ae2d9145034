import type { Filters, ItemOf } from '../session/api.ts'
import { ownValue } from '../text/format.ts'

/** Why an attempt failed, in words: `DeliveryErrorKind` of the API. */
export const causes: Readonly<Record<string, string>> = {
  status: 'Response with an error',
  timeout: 'Time-out',
  connect: 'No connection',
  dns: 'Unknown host',
  tls: 'TLS',
  reset: 'Connection lost',
  protocol: 'Invalid response',
  redirect: 'Redirect',
  gone: 'Gone (410)',
  auth: 'No access token',
  blocked_address: 'Address not permitted',
}

/** `Response 503`, `Time-out`. */
export function describeCause(kind: string | null, code: number | string | null | undefined): string {
  if (kind === 'status' && code) return `Response ${code}`
  if (kind === 'redirect' && code) return `Redirect ${code}`
  return ownValue(causes, kind ?? '') ?? 'Unknown cause'
}

/** Dead letters with something in common. */
export type LetterGroup = Extract<ItemOf<'listDeadLetters'>, { readonly key: string }>

/** The search of the page with the dead letters of a group. */
export const toSearch = (filter: NonNullable<LetterGroup['filter']>): Filters =>
  Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, String(value)]))

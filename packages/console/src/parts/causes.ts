import { ownValue } from '../text/format.ts'

/** Why an attempt failed, in words: `DeliveryErrorKind` of the API. */
const kinds: Readonly<Record<string, string>> = {
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

/** The kinds as options of a filter, after the one that filters nothing. */
export const causesAfter = (every: string) => [
  { value: '', label: every },
  ...Object.entries(kinds).map(([value, label]) => ({ value, label })),
]

/** `Response 503`, `Time-out`. */
export function describeCause(kind: string | null, code: number | string | null | undefined): string {
  if (kind === 'status' && code) return `Response ${code}`
  if (kind === 'redirect' && code) return `Redirect ${code}`
  return ownValue(kinds, kind ?? '') ?? 'Unknown cause'
}

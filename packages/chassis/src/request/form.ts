import type { RawBody } from '@payments/contracts/grammar/contract'

const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i

/** Names and values of a submitted HTML form, in their order. Undefined for a body of another type. */
export function readForm({ bytes, headers }: RawBody): readonly (readonly [string, string])[] | undefined {
  return formType.test(headers['content-type'] ?? '') ? [...new URLSearchParams(bytes.toString('utf8'))] : undefined
}

/**
 * Whether a page of `ownOrigin` submitted the form, or no browser did. Decides by Sec-Fetch-Site where a browser sends
 * it. The policy no-referrer makes the origin of our pages `null`.
 */
export function isFromOwnPage({ headers }: Pick<RawBody, 'headers'>, ownOrigin: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (site !== undefined) return site === 'same-origin'
  return origin === undefined || origin === 'null' || origin === ownOrigin
}

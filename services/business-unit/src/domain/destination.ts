import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/business-unit/contract'

/** A URL of a request, by its pointer. Null and undefined: none was given. */
export type GivenUrls = Readonly<Record<string, string | null | undefined>>

/**
 * Throws destination_not_allowed, which names each URL that violates a rule. The addresses of the host are checked at
 * each connection, because DNS changes.
 */
export function rejectDestinations(urls: GivenUrls, findViolation: (url: string) => string | undefined): void {
  const errors = Object.entries(urls).flatMap(([pointer, url]) => {
    const detail = typeof url === 'string' ? findViolation(url) : undefined
    return detail === undefined ? [] : [{ pointer, detail }]
  })
  if (errors.length > 0) throw new Problem(problems.destination_not_allowed, { errors })
}

export const urlsByPointer = (one: {
  readonly gateway_url?: string | null | undefined
  readonly iframe_url?: string | null | undefined
  readonly tokenizer_url?: string | null | undefined
}): GivenUrls => ({
  '/gateway_url': one.gateway_url,
  '/iframe_url': one.iframe_url,
  '/tokenizer_url': one.tokenizer_url,
})

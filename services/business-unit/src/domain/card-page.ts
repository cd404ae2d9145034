import type { ConnectorName } from '@payments/contracts/nouns/payment-connectors'
import { rejectDestinations } from './destination.ts'

/**
 * The page in which a payer types a card is shown within our pay page. So the operator of the platform lists the
 * origins that each connector may have, and the pay page vouches for listed ones only.
 */
export interface CardPageRules {
  readonly origins: Readonly<Partial<Record<ConnectorName, readonly string[]>>>
  /** Whether other origins are rejected. In development they are not. */
  readonly listedOnly: boolean
  /** The origin of the pay pages: a card page of this origin could read and change them. */
  readonly ownOrigin: string
}

interface Pages {
  readonly iframe_url?: string | null | undefined
  readonly tokenizer_url?: string | null | undefined
}

/** Throws destination_not_allowed, which names each URL of an origin that is not allowed for the connector. */
export function rejectCardPages(rules: CardPageRules, connector: ConnectorName, pages: Pages): void {
  const urls = { '/iframe_url': pages.iframe_url, '/tokenizer_url': pages.tokenizer_url }
  rejectDestinations(urls, (url) => findViolation(rules, connector, url))
}

function findViolation(rules: CardPageRules, connector: ConnectorName, url: string): string | undefined {
  const { origin } = new URL(url)
  if (origin === rules.ownOrigin) return 'must not be on the origin of the pay pages'
  if (!rules.listedOnly || isListed(rules, connector, url)) return undefined
  return 'must be on an origin that the operator of the platform lists for the connector'
}

/** Whether the operator lists the origins of the card page and of the tokenizer. False without a card page. */
export function isTrustedCardPage(
  rules: CardPageRules,
  connector: ConnectorName,
  { iframe_url: page = null, tokenizer_url: tokenizer = null }: Pages,
): boolean {
  if (page === null) return false
  return [page, tokenizer ?? page].every((url) => isListed(rules, connector, url))
}

const isListed = ({ origins }: CardPageRules, connector: ConnectorName, url: string) =>
  (origins[connector] ?? []).includes(new URL(url).origin)

import { addressHasCardNumber } from '@payments/chassis/base/card-number'
import type { PaymentAction } from '@payments/contracts/nouns/transaction'
import { destinationViolation } from '@payments/egress/destination'
import { z } from 'zod'

const instant = z.iso.datetime({ offset: true })

export interface ActionRules {
  /** Development only: http, and private hosts. */
  readonly allowPrivate: boolean
  /** Origin of the pages of this platform, such as the bank of the sandbox. */
  readonly ownOrigin: string
}

/**
 * Why a browser of a payer should not open the address of an action. Undefined: the address is usable. It is https, of
 * a public host, with any port. The browser resolves the host, so its addresses are not checked.
 */
export function actionViolation(
  { url, expires_at }: PaymentAction,
  { allowPrivate, ownOrigin }: ActionRules,
): string | undefined {
  if (!instant.safeParse(expires_at).success) return 'has no end'
  if (!/^[\x21-\x7e]{1,2048}$/.test(url)) return 'has an address that is too long, or no printable ASCII'
  if (addressHasCardNumber(url)) return 'has an address with a card number'
  if (url.startsWith(`${ownOrigin}/`)) return undefined
  const [address = ''] = url.split('#', 1)
  if (!allowPrivate && !isPlainHost(address)) return 'has a host that a policy of a page cannot name'
  const port = URL.canParse(address) ? Number(new URL(address).port || 443) : 443
  const violation = destinationViolation(address, { allowPrivate, ports: [port] })
  return violation === undefined ? undefined : `has an address that ${violation}`
}

/** The URL standard allows `;`, `,` and `*` in hosts. The page of a payer does not lead to such a host. */
function isPlainHost(address: string): boolean {
  return URL.canParse(address) && /^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(new URL(address).hostname)
}

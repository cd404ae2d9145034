import type { PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'

/** How the payer enters a payment method: test tokens of the sandbox, or the framed card page of the provider. */
export type PaymentEntry =
  | { readonly kind: 'sandbox' }
  | {
      readonly kind: 'frame'
      readonly url: string
      /** Whether the operator of the platform lists the origin as one of the payment provider. */
      readonly isTrusted: boolean
    }

/** Copies of an earlier release have no `card_page_trusted`. */
type Described = Pick<PaymentOrchestrator, 'payment_gateway' | 'iframe_url'> &
  Partial<Pick<PaymentOrchestrator, 'card_page_trusted'>>

/**
 * Null for a payment orchestrator without a card page. A page of `ourOrigin` is none: in its frame it could act as the
 * pay page.
 */
export function entryOf(
  { payment_gateway: connector, iframe_url: url, card_page_trusted: isTrusted = false }: Described,
  ourOrigin: string,
): PaymentEntry | null {
  if (connector === 'sandbox') return { kind: 'sandbox' }
  if (url === null || !URL.canParse(url) || new URL(url).origin === ourOrigin) return null
  return { kind: 'frame', url, isTrusted }
}

/** Whether the payment orchestrator moves no money. */
export const isForTests = ({
  payment_gateway: connector,
  mode,
}: Pick<PaymentOrchestrator, 'payment_gateway' | 'mode'>) => connector === 'sandbox' || mode === 'test'

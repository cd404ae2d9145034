import type { PaymentOrchestrator } from '@payments/contracts/business-unit'

/** How the payer enters a payment method: test tokens of the sandbox, or the framed card page of the provider. */
export type PaymentEntry = { readonly kind: 'sandbox' } | { readonly kind: 'frame'; readonly url: string }

/** Null for a payment orchestrator without a card page. */
export function entryOf({
  payment_gateway: connector,
  iframe_url: url,
}: Pick<PaymentOrchestrator, 'payment_gateway' | 'iframe_url'>): PaymentEntry | null {
  if (connector === 'sandbox') return { kind: 'sandbox' }
  return url === null ? null : { kind: 'frame', url }
}

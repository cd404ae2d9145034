import { type Html, html } from '@payments/chassis/base/html'
import type { PaymentForm } from './model.ts'

interface TestMethod {
  readonly name: string
  readonly label: string
  readonly method?: 'ACH'
}

interface Group {
  readonly title: string
  readonly methods: readonly TestMethod[]
}

/** The tokens of the sandbox that a payer may meet, the most usual first. */
const groups: readonly Group[] = [
  {
    title: 'Approved',
    methods: [
      { name: 'mastercard', label: 'Mastercard that is approved' },
      { name: 'amex', label: 'American Express card that is approved' },
      { name: 'ach', label: 'bank account that is approved', method: 'ACH' },
    ],
  },
  {
    title: 'Declined',
    methods: [
      { name: 'declined', label: 'card that is declined' },
      { name: 'insufficient_funds', label: 'card that is declined (insufficient funds)' },
      { name: 'expired_card', label: 'card that is declined (expired)' },
      { name: 'incorrect_cvc', label: 'card that is declined (incorrect security code)' },
      { name: 'do_not_honor', label: 'card that is declined (not honored by the bank)' },
      { name: 'lost_or_stolen', label: 'card that is declined (lost or stolen)' },
      { name: 'suspected_fraud', label: 'card that is declined (suspected fraud)' },
      { name: 'issuer_unavailable', label: 'card that is declined (bank unavailable)' },
      { name: 'processing_error', label: 'card that is declined (processing error)' },
    ],
  },
  {
    title: 'Slow or uncertain',
    methods: [
      { name: 'slow_5000', label: 'card that is approved after 5 seconds' },
      { name: 'pending', label: 'card that is pending, then approved' },
      { name: 'timeout_applied', label: 'card that is approved, and the response is lost' },
      { name: 'timeout_not_applied', label: 'card that is not charged, and the response is lost' },
      { name: 'unknown_forever', label: 'card whose outcome stays unknown' },
      { name: 'unreachable', label: 'card whose provider cannot be reached' },
    ],
  },
]

/** One button per test card. Works without JavaScript. */
export function sandboxEntry(form: PaymentForm, amount: string): Html {
  return html`<section aria-labelledby="method">
<h2 id="method">Test payment</h2>
<p class="quiet">This is a test. No money moves.</p>
${tokenForm(form, { name: 'visa', label: `Pay ${amount} with a test card` }, 'primary')}
<details>
<summary>Other test cards</summary>
${groups.map(
  ({ title, methods }) => html`<h3>${title}</h3>
<div class="tokens">${methods.map((method) =>
    tokenForm(form, { ...method, label: `Pay with a test ${method.label}` }, 'secondary'),
  )}</div>
`,
)}</details>
</section>`
}

/** A button of its own form, because the payment method depends on the token. */
function tokenForm({ action, nonce }: PaymentForm, { name, label, method }: TestMethod, kind: string): Html {
  return html`<form method="post" action="${action}">
<input type="hidden" name="nonce" value="${nonce}">
<input type="hidden" name="payment_method" value="${method ?? 'CREDIT_CARD'}">
<button class="${kind}" name="cc_token" value="tok_sandbox_${name}">${label}</button>
</form>`
}

import { type Html, html } from '@payments/chassis/base/html'
import { type PayPageTexts, type TestGroup, testMethods } from '@payments/texts/texts'
import type { PaymentForm } from './model.ts'

const groups: readonly TestGroup[] = ['approved', 'confirmed', 'declined', 'uncertain']

/** One button per test card. Works without JavaScript. */
export function sandboxEntry(form: PaymentForm, amount: string, { sandbox }: PayPageTexts): Html {
  return html`<section aria-labelledby="method">
<h2 id="method">${sandbox.heading}</h2>
<p class="quiet">${sandbox.note}</p>
${tokenForm(form, { name: 'visa', label: sandbox.pay(amount) }, 'primary')}
<details>
<summary>${sandbox.others}</summary>
${groups.map(
  (group) => html`<h3>${sandbox.groups[group]}</h3>
<div class="tokens">${testMethods[group].map((name) =>
    tokenForm(form, { name, label: sandbox.methods[name] }, 'secondary'),
  )}</div>
`,
)}</details>
</section>`
}

/** A button in a separate form, because the payment method depends on the token. */
function tokenForm(
  { action, nonce }: PaymentForm,
  { name, label }: Record<'name' | 'label', string>,
  kind: string,
): Html {
  return html`<form method="post" action="${action}">
<input type="hidden" name="nonce" value="${nonce}">
<input type="hidden" name="payment_method" value="${name === 'ach' ? 'ACH' : 'CREDIT_CARD'}">
<button class="${kind}" name="cc_token" value="tok_sandbox_${name}">${label}</button>
</form>`
}

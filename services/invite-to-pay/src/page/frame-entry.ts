import { type Html, html } from '@payments/chassis/base/html'
import type { PayPageTexts } from '@payments/texts/texts'
import type { PaymentForm } from './model.ts'
import { parseOrigin } from './policy.ts'

/** The card page of the payment provider in a frame. Null for an address that a policy cannot name. */
export function frameEntry(
  form: PaymentForm,
  { url, isOurs }: { readonly url: string; readonly isOurs: boolean },
  { card, tryAgain }: PayPageTexts,
): { html: Html; origin: string } | null {
  const origin = parseOrigin(url)
  if (origin === null) return null
  const section = html`<section aria-labelledby="method">
<h2 id="method">${card.heading}</h2>
<p id="script-needed" class="notice alert">${card.scriptNeeded}</p>
<form id="payment" method="post" action="${form.action}">
<input type="hidden" name="nonce" value="${form.nonce}">
<input type="hidden" name="payment_method" value="CREDIT_CARD">
<input type="hidden" name="cc_token" value="">
</form>
<iframe id="card-page" title="${card.heading}" src="${url}" referrerpolicy="no-referrer" sandbox="allow-scripts allow-forms allow-same-origin" hidden></iframe>
${
  isOurs
    ? html`<div id="card-failed" role="alert" hidden><p class="notice alert">${card.unavailable}</p>
<p><a class="button" href="${form.action}">${tryAgain}</a></p></div>`
    : null
}
<p id="sending" role="status" data-text="${card.sending}"></p>
</section>`
  return { html: section, origin }
}

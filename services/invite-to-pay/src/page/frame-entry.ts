import { type Html, html } from '@payments/chassis/base/html'
import type { PaymentForm } from './model.ts'
import { originOf } from './policy.ts'

/**
 * Submits the token that the card page posts, once, and gives the frame the height that it posts, within bounds.
 * docs/pay-page.md describes the messages. Only the framed window counts, and only while it shows a page of the origin
 * of the card page.
 */
export const frameScript = `(() => {
  const frame = document.getElementById('card-page')
  const form = document.getElementById('payment')
  const origin = new URL(frame.src).origin
  document.getElementById('script-needed').hidden = true
  frame.hidden = false
  let submitted = false
  addEventListener('message', (event) => {
    if (submitted || event.source !== frame.contentWindow || event.origin !== origin) return
    const { type, token, height, payment_method: method = 'CREDIT_CARD' } = event.data ?? {}
    if (type === 'card_page_height' && Number.isFinite(height)) {
      frame.style.height = Math.min(Math.max(Math.ceil(height) + 2, 160), 1200) + 'px'
    }
    if (type !== 'payment_token' || typeof token !== 'string' || token === '' || token.length > 200) return
    if (method !== 'CREDIT_CARD' && method !== 'ACH') return
    submitted = true
    form.elements.cc_token.value = token
    form.elements.payment_method.value = method
    frame.hidden = true
    document.getElementById('sending').textContent = 'Sending your payment…'
    form.submit()
  })
})()`

/** The card page of the payment provider in a frame. Null for an address that a policy cannot name. */
export function frameEntry(form: PaymentForm, url: string): { html: Html; origin: string } | null {
  const origin = originOf(url)
  if (origin === null) return null
  const section = html`<section aria-labelledby="method">
<h2 id="method">Card details</h2>
<p id="script-needed" class="notice alert">Card entry needs JavaScript. Switch it on for this page, and load the page again.</p>
<form id="payment" method="post" action="${form.action}">
<input type="hidden" name="nonce" value="${form.nonce}">
<input type="hidden" name="payment_method" value="CREDIT_CARD">
<input type="hidden" name="cc_token" value="">
</form>
<iframe id="card-page" title="Card details" src="${url}" referrerpolicy="no-referrer" sandbox="allow-scripts allow-forms allow-same-origin" hidden></iframe>
<p id="sending" role="status"></p>
</section>`
  return { html: section, origin }
}

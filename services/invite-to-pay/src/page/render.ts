/**
 * **What it does.** Turns the state of a code into one HTML document and its Content-Security-Policy. It reads nothing
 * and changes nothing.
 *
 * **Guarantees.** Each value of the merchant and the payer is escaped. The policy permits the style and the script of
 * this document by their hashes, images of the logo's origin and the frame of the card page's origin, and no other
 * source. The page of the sandbox has no script.
 *
 * **Not guaranteed.** One submission without JavaScript: a second click posts the same nonce, which the service
 * rejects.
 */

import { type Html, html, verbatim } from '@payments/chassis/base/html'
import { frameEntry, frameScript } from './frame-entry.ts'
import { amountFormat, formatInstant, preferredLocale } from './locale.ts'
import type { Item, Merchant, Payment, PayPage } from './model.ts'
import { noticeText } from './notice.ts'
import { originOf, policyOf } from './policy.ts'
import { sandboxEntry } from './sandbox-entry.ts'
import { check, clock, dash, lock, ring } from './signs.ts'
import { styleOf } from './style.ts'

/** More items are folded, so that the payment stays in sight. */
const itemsShownMax = 5
/** Longer amounts have smaller letters, so that they stay on one line. */
const amountLengthMax = 11

export function renderPayPage(page: PayPage, acceptLanguage: string | undefined): { html: string; policy: string } {
  const content = contentOf(page, preferredLocale(acceptLanguage))
  const style = styleOf(page.merchant?.primaryColor ?? null)
  const script = content.frameOrigin === null ? null : frameScript
  const logo = logoOf(page.merchant)
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="format-detection" content="telephone=no">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex, nofollow">
${page.refreshSeconds === null ? null : html`<meta http-equiv="refresh" content="${page.refreshSeconds}">`}
<title>${content.title}</title>
<style>${verbatim(style)}</style>
</head>
<body>
<div class="sheet">
${page.merchant === null ? null : headerOf(page.merchant, logo)}
<main>
${noticeOf(page)}
${content.main}
</main>
${page.merchant === null ? null : footerOf(page)}
</div>
${script === null ? null : html`<script>${verbatim(script)}</script>`}
</body>
</html>
`
  const imageOrigin = logo?.origin ?? null
  return { html: document.text, policy: policyOf({ style, script, imageOrigin, frameOrigin: content.frameOrigin }) }
}

interface Content {
  readonly title: string
  readonly main: Html
  /** The origin of the card page in a frame. */
  readonly frameOrigin: string | null
}

function contentOf(page: PayPage, locale: string): Content {
  const { state, merchant, payment } = page
  const name = merchant?.name ?? null
  if (state === 'active' && payment !== null) return activeContent(page, payment, locale)
  const heading = isLimited(page) ? noticeText({ kind: 'too_many' }).title : titles[state]
  const title = name === null ? heading : `${heading} – ${name}`
  return {
    title,
    main: html`${messageOf(page, name)}${payment && factsOf(payment, locale)}${actionOf(page)}`,
    frameOrigin: null,
  }
}

const titles: Readonly<Record<PayPage['state'], string>> = {
  active: 'Payment',
  processing: 'Payment in progress',
  completed: 'Payment complete',
  expired: 'Link expired',
  canceled: 'Link canceled',
  test: 'Link for tests',
  unknown: 'Link not found',
  unavailable: 'Page not available',
}

function activeContent(page: PayPage, payment: Payment, locale: string): Content {
  const { merchant, form, notice } = page
  const format = amountFormat(locale, payment.currency)
  const amount = format(payment.amount)
  const { time, zone } = formatInstant(payment.expiresAt, locale, payment.timezone)
  const framed = form?.entry.kind === 'frame' ? frameEntry(form, form.entry.url) : null
  const main = html`<h1><span class="label">Amount to pay</span> <bdi class="amount${amount.length > amountLengthMax ? ' long' : ''}">${amount}</bdi></h1>
<p class="quiet">Pay by <time datetime="${payment.expiresAt.toISOString()}">${time}</time> <span class="zone">(${zone})</span></p>
${purposeOf(page, payment)}
${itemsOf(payment.items, format)}
${entryOf(page, framed?.html ?? null, amount)}`
  const heading = `Pay ${amount}${merchant === null ? '' : ` to ${merchant.name}`}`
  const title = notice === null ? heading : `${noticeText(notice).title} – ${heading}`
  return { title, main, frameOrigin: framed?.origin ?? null }
}

function purposeOf({ merchant }: PayPage, { payerName, description }: Payment): Html {
  const sender = merchant && html` <bdi>${merchant.name}</bdi> requests this payment.`
  const greeting = payerName && html`<p>Hello <bdi>${payerName}</bdi>,${sender}</p>`
  return html`<div class="purpose">${greeting}${description && html`<p><bdi>${description}</bdi></p>`}</div>`
}

function entryOf({ form }: PayPage, framed: Html | null, amount: string): Html | null {
  if (form === null) return null
  if (form.entry.kind === 'sandbox') return sandboxEntry(form, amount)
  return framed ?? html`<p class="notice alert">Card entry is not available at the moment.</p>`
}

function itemsOf(items: readonly Item[], format: (amount: number) => string): Html | null {
  if (items.length === 0) return null
  const list = html`<ul class="items" aria-label="Items">${items.map(
    ({ name, unit_amount, quantity }) => html`<li><span><bdi>${name}</bdi>${
      quantity === 1 ? null : html` <small>${quantity} × <bdi>${format(unit_amount)}</bdi></small>`
    }</span> <bdi class="sum">${format(unit_amount * quantity)}</bdi></li>
`,
  )}</ul>`
  return items.length > itemsShownMax ? html`<details><summary>${items.length} items</summary>${list}</details>` : list
}

function factsOf(payment: Payment, locale: string): Html {
  const { amount, currency, description, reference } = payment
  return html`<dl class="facts">
<dt>Amount</dt><dd><bdi>${amountFormat(locale, currency)(amount)}</bdi></dd>
${description && html`<dt>Purpose</dt><dd><bdi>${description}</bdi></dd>`}
<dt>Reference</dt><dd><bdi>${reference}</bdi></dd>
</dl>`
}

/** Whether the page is not available because of a limit of attempts. */
const isLimited = ({ state, notice }: PayPage) => state === 'unavailable' && notice?.kind === 'too_many'

function limitedMessage(): Html {
  const { title, text } = noticeText({ kind: 'too_many' })
  return html`${clock()}<h1>${title}</h1><p>${text}</p>`
}

/** The message of each state without a form. */
function messageOf(page: PayPage, name: string | null): Html {
  const merchant = name === null ? html`the sender` : html`<bdi>${name}</bdi>`
  switch (page.state) {
    case 'processing':
      return html`${ring()}<div role="status"><h1>Your payment is in progress</h1>
<p>This page updates itself. You can close it: the payment continues, and ${merchant} is notified of the outcome.</p></div>`
    case 'completed':
      return html`${check()}<div role="status"><h1>Payment complete</h1>
<p>Thank you. You can close this page.</p></div>`
    case 'expired':
      return html`${clock()}<h1>This link has expired</h1><p>Nothing can be paid with it. Contact ${merchant} for a new link.</p>`
    case 'canceled':
      return html`${dash()}<h1>This link was canceled</h1>
<p>Nothing can be paid with it. Contact ${merchant} if you expected to pay.</p>`
    case 'test':
      return html`${dash()}<h1>This link is for tests</h1>
<p>A payment with it would move no money, so nothing can be paid with it. Contact ${merchant} for a new link.</p>`
    case 'unknown':
      return html`${dash()}<h1>This link does not work</h1>
<p>Check that you opened the whole link from the message. If you did, contact the sender for a new link.</p>`
    case 'active':
    case 'unavailable':
      if (isLimited(page)) return limitedMessage()
      return html`${clock()}<h1>This page is not available at the moment</h1>
<p>Your link stays valid. Try again in a few minutes.</p>`
  }
}

function actionOf({ state, returnUrl, merchant }: PayPage): Html | null {
  if (state === 'unavailable') return html`<p class="action"><a class="button" href="">Try again</a></p>`
  if (state !== 'completed' || returnUrl === null || originOf(returnUrl) === null) return null
  const target = merchant === null ? html`the shop` : html`<bdi>${merchant.name}</bdi>`
  return html`<p class="action"><a class="button" rel="noreferrer" href="${returnUrl}"><span>Return to ${target}</span></a></p>`
}

/** Beside the form. The other states say what happened. */
function noticeOf({ state, notice }: PayPage): Html | null {
  if (notice === null || state !== 'active') return null
  const { title, text } = noticeText(notice)
  const kind = notice.kind === 'busy' ? html`class="notice" role="status"` : html`class="notice alert" role="alert"`
  return html`<div ${kind}><p><strong>${title}</strong></p><p>${text}</p></div>`
}

interface Logo {
  readonly url: string
  readonly origin: string
}

function logoOf(merchant: Merchant | null): Logo | null {
  const url = merchant?.logoUrl ?? null
  const origin = url === null ? null : originOf(url)
  return url !== null && origin?.startsWith('https:') ? { url, origin } : null
}

function headerOf({ name }: Merchant, logo: Logo | null): Html {
  const [{ segment: initial } = { segment: '' }] = new Intl.Segmenter('en').segment(name.trim())
  const sign = logo
    ? html`<img class="logo" src="${logo.url}" alt="" referrerpolicy="no-referrer">`
    : html`<span class="monogram" aria-hidden="true">${initial.toUpperCase()}</span>`
  return html`<header>${sign}<p class="merchant"><bdi>${name}</bdi></p></header>`
}

/** The page vouches for a card page of an origin that the operator of the platform lists, and names any other one. */
function cardPageNote({ url, isTrusted }: { url: string; isTrusted: boolean }, merchant: Merchant | null): Html | null {
  if (originOf(url) === null) return null
  if (!isTrusted) return html`<p>The card form is a page of <bdi>${new URL(url).host}</bdi>.</p>`
  return html`<p class="trust">${lock()}<span>Your card details go to the payment provider over an encrypted connection. <bdi>${merchant?.name ?? ''}</bdi> does not see them.</span></p>`
}

function footerOf({ merchant, payment, form, state }: PayPage): Html {
  const email = merchant?.supportEmail ?? null
  return html`<footer>
${form?.entry.kind === 'frame' ? cardPageNote(form.entry, merchant) : null}
${state === 'active' && payment ? html`<p>Reference: <bdi>${payment.reference}</bdi></p>` : null}
${email && html`<p>Questions? <a href="mailto:${encodeURIComponent(email).replace('%40', '@')}">${email}</a></p>`}
</footer>`
}

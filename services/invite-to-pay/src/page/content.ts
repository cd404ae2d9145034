import { type Html, html } from '@payments/chassis/base/html'
import type { PayPageTexts } from '@payments/texts/texts'
import type { Item } from '../domain/code.ts'
import { amountFormat, formatInstant, formatTime } from '../domain/formats.ts'
import { frameEntry } from './frame-entry.ts'
import type { Payment, PayPage } from './model.ts'
import { noticeContent } from './notice.ts'
import { parseOrigin } from './policy.ts'
import { sandboxEntry } from './sandbox-entry.ts'
import { check, clock, dash, ring, shield } from './signs.ts'

/** More items are folded, so that the payment stays in sight. */
const itemsShownMax = 5
/** Longer amounts have smaller letters, so that they stay on one line. */
const amountLengthMax = 11

export interface Content {
  readonly title: string
  readonly main: Html
  /** The origin of the card page in a frame. */
  readonly frameOrigin: string | null
}

/** The part of the page between its header and its footer. */
export function renderContent(page: PayPage, texts: PayPageTexts): Content {
  const { state, merchant, payment, locale } = page
  if (state === 'active' && payment !== null) return activeContent(page, payment, texts)
  const heading = isLimited(page) ? texts.notices.too_many.title : texts.titles[state]
  const facts = payment && renderFacts(payment, locale, texts)
  return {
    title: merchant === null ? heading : `${heading} – ${merchant.name}`,
    main: html`${renderMessage(page, texts)}${facts}${renderAction(page, texts)}`,
    frameOrigin: null,
  }
}

/** The name of the merchant in a sentence. */
const nameIn = ({ merchant }: PayPage) => html`<bdi>${merchant?.name ?? ''}</bdi>`

function activeContent(page: PayPage, payment: Payment, texts: PayPageTexts): Content {
  const { merchant, form, notice, locale } = page
  const format = amountFormat(locale, payment.currency)
  const amount = format(payment.amount)
  const { time, zone } = formatInstant(payment.expiresAt, locale, payment.timezone)
  const until = html`<time datetime="${payment.expiresAt.toISOString()}">${time}</time>`
  const framed = form?.entry.kind === 'frame' ? frameEntry(form, form.entry, texts) : null
  const length = amount.length > amountLengthMax ? ' long' : ''
  const main = html`<h1><span class="label">${texts.amountToPay}</span> <bdi class="amount${length}">${amount}</bdi></h1>
<p class="quiet">${texts.payBy(until, html`<span class="zone">(${zone})</span>`)}</p>
${renderPurpose(page, payment, texts)}
${renderItems(payment.items, format, texts)}
${renderEntry(page, framed?.html ?? null, amount, texts)}`
  const heading = texts.payTitle(amount, merchant?.name ?? '')
  const title = notice === null ? heading : `${noticeContent(notice, texts).title} – ${heading}`
  return { title, main, frameOrigin: framed?.origin ?? null }
}

function renderPurpose(page: PayPage, { payerName, description }: Payment, texts: PayPageTexts): Html {
  const greeting = payerName && html`<p>${texts.greeting(html`<bdi>${payerName}</bdi>`, nameIn(page))}</p>`
  return html`<div class="purpose">${greeting}${description && html`<p><bdi>${description}</bdi></p>`}</div>`
}

function renderEntry({ form }: PayPage, framed: Html | null, amount: string, texts: PayPageTexts): Html | null {
  if (form === null) return null
  if (form.entry.kind === 'sandbox') return sandboxEntry(form, amount, texts)
  return framed ?? html`<p class="notice alert">${texts.card.unavailable}</p>`
}

function renderItems(items: readonly Item[], format: (amount: number) => string, texts: PayPageTexts): Html | null {
  if (items.length === 0) return null
  const list = html`<ul class="items" aria-label="${texts.items}">${items.map(
    ({ name, unit_amount, quantity }) => html`<li><span><bdi>${name}</bdi>${
      quantity === 1 ? null : html` <small>${quantity} × <bdi>${format(unit_amount)}</bdi></small>`
    }</span> <bdi class="sum">${format(unit_amount * quantity)}</bdi></li>
`,
  )}</ul>`
  if (items.length <= itemsShownMax) return list
  return html`<details><summary>${texts.itemCount(items.length)}</summary>${list}</details>`
}

function renderFacts(payment: Payment, locale: string, texts: PayPageTexts): Html {
  const { amount, currency, description, reference } = payment
  return html`<dl class="facts">
<dt>${texts.amount}</dt><dd><bdi class="sum">${amountFormat(locale, currency)(amount)}</bdi></dd>
${description && html`<dt>${texts.purpose}</dt><dd><bdi>${description}</bdi></dd>`}
<dt>${texts.reference}</dt><dd><bdi>${reference}</bdi></dd>
</dl>`
}

/** Whether the page is not available because of a limit of attempts. */
const isLimited = ({ state, notice }: PayPage) => state === 'unavailable' && notice?.kind === 'too_many'

/** The message of each state without a form. */
function renderMessage(page: PayPage, texts: PayPageTexts): Html {
  const { completed, unknown, unavailable, notices } = texts
  const { state } = page
  switch (state) {
    case 'confirming':
      return confirmationMessage(page, texts)
    case 'processing':
      return renderProgress(page, texts)
    case 'completed':
      return html`${check()}<div role="status"><h1>${completed.heading}</h1>
<p>${completed.text}</p></div>`
    case 'expired':
    case 'canceled':
    case 'test':
      return html`${state === 'expired' ? clock() : dash()}<h1>${texts[state].heading}</h1>
<p>${texts[state].text(nameIn(page))}</p>`
    case 'unknown':
      return html`${dash()}<h1>${unknown.heading}</h1>
<p>${unknown.text}</p>`
    case 'active':
    case 'unavailable': {
      const { title, text } = notices.too_many
      const { heading, text: sentence } = isLimited(page) ? { heading: title, text } : unavailable
      return html`${clock()}<h1>${heading}</h1>
<p>${sentence}</p>`
    }
  }
}

/**
 * Without JavaScript, only the payer loads it again: a refresh would take the focus from the buttons. `progressScript`
 * shows the end of a payment that was confirmed elsewhere.
 */
function confirmationMessage(page: PayPage, { confirming, processing }: PayPageTexts): Html {
  const { address, confirmation, locale } = page
  if (confirmation === null) throw new Error('the page has no confirmation')
  const time = formatTime(confirmation.expiresAt, locale, confirmation.timeZone)
  const until = html`<time datetime="${confirmation.expiresAt.toISOString()}">${time}</time>`
  const { changed, checkAgain } = processing
  return html`${shield()}<h1>${confirming.heading}</h1>
<p>${confirming.text(nameIn(page))}</p>
<p class="quiet">${confirming.until(until)}</p>
<p class="action"><a class="button" id="bank" rel="noreferrer" href="${confirmation.url}">${confirming.continue}</a></p>
<form method="post" action="${confirmation.cancelAction}">
<input type="hidden" name="nonce" value="${confirmation.nonce}">
<button class="secondary">${confirming.another}</button>
</form>
<p id="progress" role="status" data-address="${address}" data-changed="${changed}" data-stopped="${confirming.stopped}"></p>
<p id="again"><a class="button secondary" href="${address}">${checkAgain}</a></p>`
}

/** `progressScript` changes the text, and shows the link when it reads the page no more. */
function renderProgress(page: PayPage, { processing }: PayPageTexts): Html {
  const { address } = page
  const { heading, text, changed, stopped, checkAgain } = processing
  return html`${ring()}<h1>${heading}</h1>
<p id="progress" role="status" data-address="${address}" data-changed="${changed}" data-stopped="${stopped}">${text(nameIn(page))}</p>
<p id="again" class="action"><a class="button" href="${address}">${checkAgain}</a></p>`
}

function renderAction(page: PayPage, texts: PayPageTexts): Html | null {
  const { address, state, returnUrl } = page
  if (state === 'unavailable')
    return html`<p class="action"><a class="button" href="${address}">${texts.tryAgain}</a></p>`
  if (state !== 'completed' || returnUrl === null || parseOrigin(returnUrl) === null) return null
  return html`<p class="action"><a class="button" rel="noreferrer" href="${returnUrl}"><span>${texts.returnTo(nameIn(page))}</span></a></p>`
}

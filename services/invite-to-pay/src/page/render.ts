/**
 * **What it does.** Turns the state of a code into one HTML document and its Content-Security-Policy. It reads nothing
 * and changes nothing.
 *
 * **Guarantees.** Each value of the merchant and the payer is escaped. The policy permits the style and the scripts of
 * this document by their hashes, images of the logo's origin and the frame of the card page's origin, and no other
 * source. Only the page of a payment in progress may send requests, to its own origin. Without JavaScript, every page
 * works but the card page in its frame.
 *
 * **Not guaranteed.** One submission without JavaScript: a second click posts the same nonce, which the service
 * rejects.
 */

import { type Html, html, verbatim } from '@payments/chassis/base/html'
import type { PageReply } from '@payments/contracts/grammar/contract'
import { toFormatLocale } from '@payments/contracts/nouns/locale'
import { chooseTexts } from '@payments/texts/by-language'
import type { PayPageTexts, Texts } from '@payments/texts/texts'
import { renderContent } from './content.ts'
import { languageChoice } from './languages.ts'
import type { Merchant, PaymentForm, PayPage } from './model.ts'
import { noticeBox } from './notice.ts'
import { buildPolicy, parseOrigin } from './policy.ts'
import { bankScript, frameScript, progressScript, tabsScript, timeZoneScript } from './scripts.ts'
import { lock } from './signs.ts'
import { buildStyle } from './style.ts'

/** Without JavaScript, the page of a payment in progress loads itself again. */
const refreshSeconds = 20

export function renderPayPage(
  page: PayPage,
  texts: Texts = chooseTexts(page.locale),
): Pick<PageReply, 'html' | 'policy'> {
  const { locale, state, merchant, notice } = page
  const content = renderContent(page, texts.payPage)
  const style = buildStyle(merchant?.primaryColor ?? null)
  // That of the tabs first: after a redirect to the bank, no further script runs.
  const scripts = [...(page.version === null ? [] : [tabsScript]), ...chooseScripts(page, content.frameOrigin !== null)]
  const logo = findLogo(merchant)
  const readsItself = state === 'processing' || (state === 'confirming' && page.confirmation?.redirects !== true)
  const document = html`<!doctype html>
<html lang="${locale === texts.tag ? toFormatLocale(locale) : texts.tag}" dir="${texts.direction}" data-state="${state}"${tabsData(page)}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="format-detection" content="telephone=no">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex, nofollow">
${state === 'processing' ? html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}; url=${page.address}"></noscript>` : null}
<title>${content.title}</title>
<style>${verbatim(style)}</style>
</head>
<body>
<div class="sheet">
${merchant === null ? null : renderHeader(merchant, logo)}
<main>
${notice === null || (state !== 'active' && state !== 'confirming') ? null : noticeBox(notice, texts.payPage)}
${content.main}
</main>
${renderFooter(page, texts)}
</div>
${scripts.map((script) => html`<script>${verbatim(script)}</script>`)}
</body>
</html>
`
  const imageOrigin = logo?.origin ?? null
  const policy = buildPolicy({ style, scripts, readsItself, imageOrigin, frameOrigin: content.frameOrigin })
  return { html: document.text, policy }
}

/** The data of `tabsScript`. */
const tabsData = ({ version, path, address }: PayPage) =>
  version === null ? null : html` data-version="${version}" data-path="${path}" data-address="${address}"`

function chooseScripts({ state, form, confirmation }: PayPage, isFramed: boolean): readonly string[] {
  if (state === 'confirming') return [confirmation?.redirects === true ? bankScript : progressScript]
  if (state === 'processing') return [progressScript]
  if (form === null || (form.entry.kind === 'frame' && !isFramed)) return []
  return isFramed ? [timeZoneScript, frameScript] : [timeZoneScript]
}

function findLogo(merchant: Merchant | null) {
  const url = merchant?.logoUrl ?? null
  const origin = url === null ? null : parseOrigin(url)
  return url !== null && origin?.startsWith('https:') ? { url, origin } : null
}

function renderHeader({ name }: Merchant, logo: ReturnType<typeof findLogo>): Html {
  const [{ segment: initial } = { segment: '' }] = new Intl.Segmenter('en').segment(name.trim())
  const sign = logo
    ? html`<img class="logo" src="${logo.url}" alt="" referrerpolicy="no-referrer">`
    : html`<span class="monogram" aria-hidden="true">${initial.toUpperCase()}</span>`
  return html`<header>${sign}<p class="merchant"><bdi>${name}</bdi></p></header>`
}

type Frame = Extract<PaymentForm['entry'], { readonly kind: 'frame' }>

/** The page vouches for a card page of an origin that the operator of the platform lists, and names any other one. */
function cardPageNote({ url, isTrusted }: Frame, merchant: Merchant | null, { card }: PayPageTexts): Html | null {
  if (parseOrigin(url) === null) return null
  if (!isTrusted) return html`<p>${card.untrusted(html`<bdi>${new URL(url).host}</bdi>`)}</p>`
  return html`<p class="trust">${lock()}<span>${card.trusted(html`<bdi>${merchant?.name ?? ''}</bdi>`)}</span></p>`
}

function renderFooter(page: PayPage, texts: Texts): Html {
  const { merchant, payment, form, state } = page
  const email = merchant?.supportEmail ?? null
  const address =
    email && html`<a href="mailto:${encodeURIComponent(email).replace('%40', '@')}"><bdi>${email}</bdi></a>`
  const reference = state === 'active' && payment ? html`<bdi>${payment.reference}</bdi>` : null
  return html`<footer>
${form?.entry.kind === 'frame' ? cardPageNote(form.entry, merchant, texts.payPage) : null}
${reference && html`<p>${texts.payPage.referenceLine(reference)}</p>`}
${address && html`<p>${texts.payPage.questions(address)}</p>`}
${languageChoice(page.path, texts)}
</footer>`
}

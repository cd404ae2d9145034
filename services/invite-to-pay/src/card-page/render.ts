/**
 * **What it does.** Turns one code into the card page with the fields of Stripe, and its Content-Security-Policy.
 *
 * **Guarantees.** The policy permits Stripe.js from Stripe, the style and the script of this document by their hashes,
 * and frames of and calls to Stripe. Only the pay page frames it. Each value is escaped.
 */
import { html, verbatim } from '@payments/chassis/base/html'
import type { PageReply } from '@payments/contracts/grammar/contract'
import { nearestLanguage, toFormatLocale } from '@payments/contracts/nouns/locale'
import { chosenLocale } from '@payments/contracts/nouns/preferred-locale'
import { chooseTexts } from '@payments/texts/by-language'
import { amountFormat } from '../domain/formats.ts'
import { hashSource } from '../page/policy.ts'
import { cardPageScript } from './script.ts'
import { buildStyle, fieldColors } from './style.ts'

/** Stripe permits no copy of its script. The name of its release is the API version of the connector. */
export const stripeScript = 'https://js.stripe.com/dahlia/stripe.js'

/** https://docs.stripe.com/security/guide#content-security-policy, without the sources of address fields. */
const stripeSources = {
  script: 'https://js.stripe.com https://*.js.stripe.com',
  frame: 'https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
  connect: 'https://api.stripe.com',
  image: 'https://*.stripe.com',
} as const

export interface CardPage {
  /** In minor units. */
  readonly amount: number
  /** ISO 4217, in upper case. */
  readonly currency: string
  readonly publishableKey: string
  /** `#rrggbb`. */
  readonly primaryColor: string | null
}

/** `page` null: a page that says that nothing can be paid. `lang`: of the address. */
export function renderCardPage(
  page: CardPage | null,
  { lang, payOrigin }: { readonly lang: string | undefined; readonly payOrigin: string },
): PageReply {
  const locale = chosenLocale(lang) ?? 'en'
  const language = nearestLanguage(locale)
  const { cardPage: texts } = chooseTexts(locale)
  const style = buildStyle(page?.primaryColor ?? null)
  const { heading, text } = texts.notHere
  const content =
    page === null
      ? html`<body><main><h1>${heading}</h1><p>${text}</p></main></body>`
      : renderForm(page, { locale, payOrigin })
  const document = html`<!doctype html>
<html lang="${locale === language ? toFormatLocale(locale) : language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<title>${texts.title}</title>
<style>${verbatim(style)}</style>
</head>
${content}
</html>
`
  const policy = buildPolicy(style, payOrigin, page !== null)
  return { status: page === null ? 404 : 200, html: document.text, policy, isFramed: true }
}

function renderForm(
  { amount, currency, publishableKey }: CardPage,
  { locale, payOrigin }: { readonly locale: string; readonly payOrigin: string },
) {
  const { cardPage: texts } = chooseTexts(locale)
  const settings = {
    script: stripeScript,
    publishableKey,
    payOrigin,
    amount,
    currency: currency.toLowerCase(),
    locale: stripeLocale(locale),
    colors: fieldColors,
    texts: { working: texts.working, failed: texts.failed },
  }
  return html`<body data-settings="${JSON.stringify(settings)}">
<main>
<p id="loading" role="status">${texts.loading}</p>
<form id="card" novalidate>
<h1 class="unseen">${texts.title}</h1>
<div id="fields"></div>
<p id="problem" role="alert"></p>
<button id="pay" disabled>${texts.pay(amountFormat(locale, currency)(amount))}</button>
</form>
<div id="failed" role="alert" hidden>
<h1>${texts.notLoaded.heading}</h1>
<p>${texts.notLoaded.text}</p>
<button id="again" type="button">${texts.tryAgain}</button>
</div>
<div id="not-here" role="alert" hidden>
<h1>${texts.notHere.heading}</h1>
<p>${texts.notHere.text}</p>
</div>
</main>
<script>${verbatim(cardPageScript)}</script>
</body>`
}

/** The regions that Stripe's fields have; else the language. */
const stripeLocale = (locale: string): string =>
  ['en-GB', 'fr-CA', 'pt-BR'].includes(locale) ? locale : nearestLanguage(locale)

function buildPolicy(style: string, payOrigin: string, hasForm: boolean): string {
  const ofForm = [
    `script-src ${hashSource(cardPageScript)} ${stripeSources.script}`,
    `frame-src ${stripeSources.frame}`,
    `connect-src ${stripeSources.connect}`,
    `img-src ${stripeSources.image}`,
  ]
  return [
    "default-src 'none'",
    ...(hasForm ? ofForm : []),
    `style-src ${hashSource(style)}`,
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${payOrigin}`,
  ].join('; ')
}

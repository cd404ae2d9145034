import { createHash } from 'node:crypto'
import { type Html, html, verbatim } from '@payments/chassis/base/html'
import type { PageReply } from '@payments/contracts/grammar/contract'
import { formatAmount } from '@payments/contracts/grammar/currency'

/** The page of the bank of the sandbox. Test payers see it, so it is in English. */

const style = `:root{color-scheme:light dark;--text:#1b2430;--sheet:#fff;--page:#eef1f5;--edge:#68727f}
@media (prefers-color-scheme:dark){:root{--text:#e8ecf2;--sheet:#171b22;--page:#0c0f14;--edge:#8d97a5}}
body{margin:0;padding:24px 16px;background:var(--page);color:var(--text);font:16px/1.5 system-ui,sans-serif}
main{max-width:420px;margin:0 auto;padding:24px;background:var(--sheet);border:1px solid var(--edge);border-radius:8px}
h1{margin:0 0 16px;font-size:22px;line-height:1.3;overflow-wrap:anywhere}
form{display:grid;gap:12px;margin-top:24px}
button{min-height:48px;padding:8px 16px;font:inherit;color:inherit;background:none;border:2px solid var(--edge);
border-radius:6px;cursor:pointer}
button.primary{color:#fff;background:#1f4fd1;border-color:#1f4fd1}
button:focus-visible{outline:3px solid #7aa2ff;outline-offset:2px}`

const styleHash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`

/** The form leads to the page that the payer returns to, which the policy of the page must permit. */
function policyFor(returnUrl: string | null): string {
  const target = returnUrl !== null && URL.canParse(returnUrl) ? ` ${new URL(returnUrl).origin}` : ''
  return [
    "default-src 'none'",
    `style-src ${styleHash}`,
    `form-action 'self'${target}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

export interface BankPayment {
  /** Minor units. */
  readonly amount: number
  readonly currency: string
  readonly returnUrl: string | null
}

export function decisionPage({ amount, currency, returnUrl }: BankPayment): PageReply {
  const main = html`<h1>Confirm the payment of <bdi>${formatAmount(amount, currency)}</bdi></h1>
<p>This is the bank of the sandbox. No money moves. To see a payment that is never confirmed, close this page.</p>
<form method="post">
<button class="primary" name="decision" value="confirm">Confirm</button>
<button name="decision" value="decline">Decline</button>
</form>`
  return renderPage(200, 'Confirm the payment', main, returnUrl)
}

export function endedPage(): PageReply {
  const main = html`<h1>This payment cannot be confirmed any more</h1>
<p>It was canceled, or its time is over. Return to the shop to pay in another way.</p>`
  return renderPage(410, 'Payment ended', main)
}

export function unknownPage(): PageReply {
  const main = html`<h1>This link does not work</h1><p>The bank of the sandbox has no such payment.</p>`
  return renderPage(404, 'Payment not found', main)
}

export function unreadablePage(): PageReply {
  const main = html`<h1>The form could not be read</h1><p>Open the page again, and choose one of its buttons.</p>`
  return renderPage(400, 'Form not readable', main)
}

/** The redirect after a decision. A header takes no characters that an address must encode. */
export function returnTo(returnUrl: string): PageReply {
  return { status: 303, html: '', policy: "default-src 'none'", location: new URL(returnUrl).href }
}

function renderPage(
  status: PageReply['status'],
  title: string,
  main: Html,
  returnUrl: string | null = null,
): PageReply {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex, nofollow">
<title>${title} – Bank of the sandbox</title>
<style>${verbatim(style)}</style>
</head>
<body><main>${main}</main></body>
</html>
`
  return { status, html: document.text, policy: policyFor(returnUrl) }
}

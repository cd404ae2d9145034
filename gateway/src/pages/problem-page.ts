import { createPagePaths, pageHeaders } from '@payments/chassis/request/page'
import { type EncodeProblem, encodeProblem } from '@payments/chassis/request/problem-response'
import { pathOf } from '@payments/chassis/request/raw-request'
import { contracts } from '@payments/contracts/edges/contracts'

/** The paths of the pages of services. */
export const pagePaths = createPagePaths(contracts)

/**
 * A problem as a response: a page at the path of a page, and a problem document elsewhere. The page addresses a payer
 * or a person who signs in, so its text depends on the status only.
 */
export const encodeForTarget: EncodeProblem = (problem, traceId, target) => {
  const path = pathOf(target)
  if (!pagePaths.has(path)) return encodeProblem(problem, traceId, target)
  const texts = path.startsWith('/session/') ? signInTexts : paymentTexts
  const [title, sentence] = texts[problem.status] ?? texts.other
  return { headers: { ...pageHeaders, 'Content-Security-Policy': policy }, body: pageOf(title, sentence, traceId) }
}

const policy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

type Texts = readonly [title: string, sentence: string]

interface TextsOfPage {
  readonly [status: number]: Texts
  readonly other: Texts
}

const unreadable = 'The request cannot be read'
const openLinkAgain: Texts = [unreadable, 'Open the link again, as it was sent to you.']

const paymentTexts: TextsOfPage = {
  400: openLinkAgain,
  404: ['There is no such page', 'Check that the link is complete.'],
  405: openLinkAgain,
  408: ['The request was not received in time', 'Open the link again: the page shows your payment.'],
  413: openLinkAgain,
  415: openLinkAgain,
  422: openLinkAgain,
  431: openLinkAgain,
  429: ['Too many requests', 'Open the link again in a few minutes.'],
  other: ['The page is not available', 'Open the link again in a minute: the page shows your payment.'],
}

const signInAgain: Texts = [unreadable, 'Open the console, and sign in again.']

const signInTexts: TextsOfPage = {
  400: signInAgain,
  403: ['The request came from another site', 'Open the console itself, and try again there.'],
  404: ['There is no such page', 'Check the address, or open the console.'],
  405: signInAgain,
  408: ['The request was not received in time', 'Go back, and try again.'],
  413: signInAgain,
  415: signInAgain,
  422: signInAgain,
  431: [unreadable, 'Delete the cookies of this site, then open the console.'],
  429: ['Too many requests', 'Wait a few minutes, then sign in.'],
  other: ['The sign-in is not available', 'Wait a minute, then open the console and sign in.'],
}

function pageOf(title: string, sentence: string, traceId: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><link rel="icon" href="/docs/icon.svg"><link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<main>
<h1>${title}</h1>
<p>${sentence}</p>
<p>For support, send this number: <code>${traceId}</code></p>
</main>
</body>
</html>
`
}

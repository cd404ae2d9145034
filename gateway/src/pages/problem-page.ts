import { createPagePaths, pageHeaders } from '@payments/chassis/request/page'
import { type EncodeProblem, encodeProblem } from '@payments/chassis/request/problem-response'
import { pathOf } from '@payments/chassis/request/raw-request'
import { contracts } from '@payments/contracts/edges/contracts'

/** The paths of the pages of services. */
export const pagePaths = createPagePaths(contracts)

/**
 * A problem as a response: a page at the path of a page, and a problem document elsewhere. The page addresses a
 * payer, so its text depends on the status only.
 */
export const encodeForTarget: EncodeProblem = (problem, traceId, target) => {
  if (!pagePaths.has(pathOf(target))) return encodeProblem(problem, traceId, target)
  const [title, sentence] = texts[problem.status] ?? unavailable
  return { headers: { ...pageHeaders, 'Content-Security-Policy': policy }, body: pageOf(title, sentence, traceId) }
}

const policy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

type Texts = readonly [title: string, sentence: string]

const unreadable: Texts = ['The request cannot be read', 'Open the link again, as it was sent to you.']
const unavailable: Texts = [
  'The page is not available',
  'Open the link again in a minute: the page shows your payment.',
]

const texts: Readonly<Record<number, Texts>> = {
  400: unreadable,
  404: ['There is no such page', 'Check that the link is complete.'],
  405: unreadable,
  408: ['The request was not received in time', 'Open the link again: the page shows your payment.'],
  413: unreadable,
  415: unreadable,
  422: unreadable,
  431: unreadable,
  429: ['Too many requests', 'Open the link again in a few minutes.'],
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

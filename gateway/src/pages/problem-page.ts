import { createHash } from 'node:crypto'
import { createPagePaths, pageHeaders } from '@payments/chassis/request/page'
import { type EncodeProblem, encodeProblem } from '@payments/chassis/request/problem-response'
import { readPath } from '@payments/chassis/request/raw-request'
import { contracts } from '@payments/contracts/edges/contracts'
import { nearestLanguage, toFormatLocale } from '@payments/contracts/nouns/locale'
import { chosenLocale, preferredLocale } from '@payments/contracts/nouns/preferred-locale'
import { textsByLanguage } from '@payments/texts/by-language'
import type { Texts } from '@payments/texts/texts'

/** The paths of the pages of services. */
export const pagePaths = createPagePaths(contracts)

/**
 * A problem as a response: a page at the path of a page, and a problem document elsewhere. The page addresses a payer
 * or a person who signs in, so its text depends on the status and the language only.
 */
export const encodeForTarget: EncodeProblem = (problem, traceId, target, accepted) => {
  const path = readPath(target)
  if (!pagePaths.has(path)) return encodeProblem(problem, traceId, target)
  const page = path.startsWith('/session/') ? signInPage(problem.status) : paymentPage(problem.status, target, accepted)
  return { headers: { ...pageHeaders, 'Content-Security-Policy': policy }, body: renderPage(page, traceId) }
}

/** In the page, because the host of the card page serves no other path. */
const style = `:root{color-scheme:light dark}
body{max-width:36rem;margin:0 auto;padding:2rem 1.25rem;overflow-wrap:anywhere;
font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
h1{margin:0;font-size:1.5rem;line-height:1.25}
p{margin:.75rem 0 0}`

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface ProblemPage {
  readonly language: string
  readonly title: string
  readonly sentence: string
  readonly support: string
}

/** In the language that the payer chose, which the address names, else in the first known one of the browser. */
function paymentPage(status: number, target: string, acceptLanguage: string | undefined): ProblemPage {
  const lang = new URLSearchParams(target.split('?', 2)[1]).get('lang')
  const locale = chosenLocale(lang ?? undefined) ?? preferredLocale(acceptLanguage) ?? 'en'
  const language = nearestLanguage(locale)
  const texts = textsByLanguage[language].problemPage
  const [title, sentence] = texts[kindOfStatus[status] ?? 'unavailable']
  const shown = locale === language ? toFormatLocale(locale) : language
  return { language: shown, title, sentence, support: texts.support }
}

const kindOfStatus: Readonly<Record<number, Exclude<keyof Texts['problemPage'], 'support'>>> = {
  400: 'unreadable',
  404: 'missing',
  405: 'unreadable',
  408: 'late',
  413: 'unreadable',
  415: 'unreadable',
  422: 'unreadable',
  429: 'limited',
  431: 'unreadable',
}

/** For people who use the console, which is in English. */
function signInPage(status: number): ProblemPage {
  const [title, sentence] = signInTexts[status] ?? signInTexts.other
  return { language: 'en', title, sentence, support: textsByLanguage.en.problemPage.support }
}

type TitleAndSentence = readonly [title: string, sentence: string]

interface TextsOfPage {
  readonly [status: number]: TitleAndSentence
  readonly other: TitleAndSentence
}

const unreadable = 'The request cannot be read'

const signInAgain: TitleAndSentence = [unreadable, 'Open the console, and sign in again.']

export const signInTexts: TextsOfPage = {
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

function renderPage({ language, title, sentence, support }: ProblemPage, traceId: string): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${sentence}</p>
<p>${support} <code>${traceId}</code></p>
</main>
</body>
</html>
`
}

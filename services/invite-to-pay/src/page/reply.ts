import type { PageReply, PageStatus } from '@payments/contracts/grammar/contract'
import { firstWithTexts } from '@payments/contracts/nouns/locale'
import { preferredLocale } from '@payments/contracts/nouns/preferred-locale'
import { cardPageUrl } from '../domain/card-page-ticket.ts'
import { type CodeFacts, isOfOpenOperation } from '../domain/code.ts'
import { payPath } from '../domain/code-value.ts'
import type { FormRejection, FormReply } from '../domain/form-decision.ts'
import { issueNonce } from '../domain/nonce.ts'
import type { Visit, VisitedCode } from '../payment/visit.ts'
import type { Notice, PaymentForm, PayPage } from './model.ts'
import { parseOrigin } from './policy.ts'
import { renderPayPage } from './render.ts'

const statusOfState: Readonly<Record<PayPage['state'], PageStatus>> = {
  active: 200,
  confirming: 200,
  processing: 200,
  completed: 200,
  expired: 410,
  canceled: 410,
  test: 410,
  unknown: 404,
  unavailable: 503,
}

/** The page of a code. */
export function replyWithPage(visit: Visit, visited: VisitedCode | null): PageReply {
  const page = buildPage(visit, visited)
  return { status: statusOfState[page.state], ...renderPayPage(page) }
}

type Rejection = Pick<PageReply, 'status' | 'retryAfterSeconds'> & { readonly notice: Notice['kind'] }

const rejections = {
  unreadable: { status: 400, notice: 'failed' },
  stale: { status: 409, notice: 'stale' },
  processing: { status: 409, notice: 'busy' },
  overloaded: { status: 503, notice: 'overloaded', retryAfterSeconds: 5 },
  limited: { status: 429, notice: 'too_many', retryAfterSeconds: 60 },
} as const satisfies Readonly<Record<FormRejection, Rejection>>

/** The reply to a form: a redirect, or the page with the notice of a rejection. */
export function replyToForm(visit: Visit, visited: VisitedCode | null, reply: FormReply): PageReply {
  if (reply === 'outcome') return redirectTo(pageAddress(visit))
  if (reply === 'bank') return redirectTo(pageAddress(visit, '/bank'))
  if (reply === 'page') return replyWithPage(visit, visited)
  const { notice: kind, ...head } = rejections[reply]
  return { ...head, ...renderPayPage({ ...buildPage(visit, visited), notice: { kind } }) }
}

/** The page that redirects to the bank. Without a payment that waits for the payer, a redirect to the page. */
export function replyWithBank(visit: Visit, visited: VisitedCode | null): PageReply {
  if (visited === null) return replyWithPage(visit, visited)
  const page = buildPage(visit, visited)
  if (page.confirmation === null) return redirectTo(pageAddress(visit))
  return { status: 200, ...renderPayPage({ ...page, confirmation: { ...page.confirmation, redirects: true } }) }
}

/** The reply to a return from the bank, and to a cancellation. */
export const redirectToPage = (visit: Visit, visited: VisitedCode | null): PageReply =>
  visited === null ? replyWithPage(visit, visited) : redirectTo(pageAddress(visit))

const rejectedCancellations = {
  overloaded: { status: 503, retryAfterSeconds: 5 },
  waiting: { status: 503, retryAfterSeconds: 5 },
  operation_in_progress: { status: 409, retryAfterSeconds: 2 },
} as const satisfies Readonly<Record<string, Pick<PageReply, 'status' | 'retryAfterSeconds'>>>

/** The page of a payment that was not canceled and still waits for the payer. Else a redirect to the page. */
export function replyToRejectedCancellation(
  visit: Visit,
  visited: VisitedCode | null,
  reason: keyof typeof rejectedCancellations,
): PageReply {
  const page = buildPage(visit, visited)
  if (page.state !== 'confirming') return redirectToPage(visit, visited)
  return { ...rejectedCancellations[reason], ...renderPayPage({ ...page, notice: { kind: 'not_canceled' } }) }
}

/** The page of the code, for a form that cannot be read. */
export const replyToUnreadable = (visit: Visit, visited: VisitedCode | null): PageReply => ({
  ...replyWithPage(visit, visited),
  ...(visited === null ? {} : { status: 400 as const }),
})

const redirectTo = (location: string): PageReply => ({ status: 303, html: '', policy: "default-src 'none'", location })

/** Where the payer returns to from their bank, below the origin of the page. */
export const bankReturnAddress = (visit: Visit): string => pageAddress(visit, '/return')

/** The address of the page, or of a page below it, with the locale that the payer chose. */
const pageAddress = ({ value, chosenLocale }: Visit, below: '' | '/bank' | '/cancel' | '/return' = ''): string =>
  `${payPath(value)}${below}${chosenLocale === null ? '' : `?lang=${chosenLocale}`}`

const unknownPage: Omit<PayPage, 'locale'> = {
  path: '',
  address: '',
  version: null,
  state: 'unknown',
  merchant: null,
  payment: null,
  form: null,
  confirmation: null,
  notice: null,
  returnUrl: null,
}

function buildPage(visit: Visit, visited: VisitedCode | null): PayPage {
  const locale = localeOfVisit(visit, visited)
  if (visited === null) return { ...unknownPage, locale }
  const { code, unit, status, entry } = visited
  const confirmation = confirmationForm(visit, visited)
  const state = confirmation === null ? status : 'confirming'
  const isActive = state === 'active'
  return {
    path: payPath(visit.value),
    address: pageAddress(visit),
    version: code.version,
    locale,
    state,
    merchant: {
      name: unit.branding.display_name ?? unit.name,
      logoUrl: unit.branding.logo_url ?? null,
      primaryColor: unit.branding.primary_color ?? null,
      supportEmail: unit.branding.support_email ?? null,
    },
    payment: isPaid(state) ? describePayment(code, unit.timezone_name) : null,
    form: entry === null ? null : buildForm(visit, visited, shownEntry(visit, visited, entry)),
    confirmation,
    notice: isActive ? findNotice(code) : null,
    returnUrl: code.returnUrl,
  }
}

/** Our card page has the address of a ticket, in the language of the pay page. */
function shownEntry(
  visit: Visit,
  visited: VisitedCode,
  entry: NonNullable<VisitedCode['entry']>,
): PaymentForm['entry'] {
  if (entry.kind === 'sandbox') return entry
  if (entry.kind === 'frame') return { ...entry, isOurs: false }
  const url = cardPageUrl(entry.origin, visited.code, localeOfVisit(visit, visited))
  return { kind: 'frame', url, isTrusted: true, isOurs: true }
}

const buildForm = (visit: Visit, { code, now }: VisitedCode, entry: PaymentForm['entry']): PaymentForm => ({
  action: pageAddress(visit),
  nonce: issueNonce(visit.value, code, now),
  entry,
})

/** Whether the page of a state shows the payment. */
const isPaid = (state: PayPage['state']) => ['active', 'confirming', 'processing', 'completed'].includes(state)

/** Null unless the payment waits for the payer, who still has time. */
function confirmationForm(visit: Visit, { code, unit, now }: VisitedCode): PayPage['confirmation'] {
  const { confirmation } = code
  if (confirmation === null || parseOrigin(confirmation.url) === null) return null
  const expiresAt = new Date(confirmation.expires_at)
  if (expiresAt <= now) return null
  const nonce = issueNonce(visit.value, code, now)
  const timeZone = code.payerTimeZone ?? unit.timezone_name
  const cancelAction = pageAddress(visit, '/cancel')
  return { url: confirmation.url, expiresAt, timeZone, redirects: false, cancelAction, nonce }
}

/** The locale of the page of a visit, and so of a payment that is submitted on it. */
export const localeOfVisit = (
  { chosenLocale, acceptLanguage }: Pick<Visit, 'chosenLocale' | 'acceptLanguage'>,
  visited: { code: Pick<CodeFacts, 'locale'>; unit: Pick<VisitedCode['unit'], 'default_locale'> } | null,
): string =>
  firstWithTexts(chosenLocale, visited?.code.locale, preferredLocale(acceptLanguage), visited?.unit.default_locale)

function describePayment(code: CodeFacts, timezone: string): PayPage['payment'] {
  const { amount, currency, items, communicationDetails, expiresAt, reference } = code
  const { description = null, payer_name: payerName = null } = communicationDetails
  return { amount, currency, items, description, payerName, expiresAt, timezone, reference }
}

/** The notice about the latest payment. */
function findNotice({ lastError }: CodeFacts): PayPage['notice'] {
  if (lastError === null || lastError.kind === 'message') return null
  if (lastError.kind === 'declined') return { kind: 'declined', declineCode: lastError.code }
  if (isOfOpenOperation(lastError)) return { kind: 'busy' }
  return { kind: lastError.kind }
}

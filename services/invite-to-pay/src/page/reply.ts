import type { PageReply, PageStatus } from '@payments/contracts/grammar/contract'
import type { CodeFacts } from '../domain/code.ts'
import { pathOf } from '../domain/code-value.ts'
import type { FormRejection, FormReply } from '../domain/form-decision.ts'
import { issueNonce } from '../domain/nonce.ts'
import { defaultLocaleOf, localeOf } from '../domain/payer-locale.ts'
import type { Visit, VisitedCode } from '../payment/visit.ts'
import type { Notice, PayPage } from './model.ts'
import { renderPayPage } from './render.ts'

const statusOfState: Readonly<Record<PayPage['state'], PageStatus>> = {
  active: 200,
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
  const page = pageOf(visit, visited)
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

/** The reply to a form: the way back to the page, or the page, with the notice of a rejection. */
export function replyToForm(visit: Visit, visited: VisitedCode | null, reply: FormReply): PageReply {
  if (reply === 'outcome') {
    return { status: 303, html: '', policy: "default-src 'none'", location: addressOf(visit) }
  }
  if (reply === 'page') return replyWithPage(visit, visited)
  const { notice: kind, ...head } = rejections[reply]
  return { ...head, ...renderPayPage({ ...pageOf(visit, visited), notice: { kind } }) }
}

/** The address of the page, with the locale that the payer chose on it. */
const addressOf = ({ value, chosenLocale }: Visit): string =>
  chosenLocale === null ? pathOf(value) : `${pathOf(value)}?lang=${chosenLocale}`

const unknownPage: Omit<PayPage, 'locale'> = {
  state: 'unknown',
  merchant: null,
  payment: null,
  form: null,
  notice: null,
  returnUrl: null,
}

function pageOf(visit: Visit, visited: VisitedCode | null): PayPage {
  const locale = localeOfVisit(visit, visited)
  if (visited === null) return { ...unknownPage, locale }
  const { code, now, unit, status: state, entry } = visited
  const isActive = state === 'active'
  return {
    locale,
    state,
    merchant: {
      name: unit.branding.display_name ?? unit.name,
      logoUrl: unit.branding.logo_url ?? null,
      primaryColor: unit.branding.primary_color ?? null,
      supportEmail: unit.branding.support_email ?? null,
    },
    payment: isActive || state === 'processing' || state === 'completed' ? paymentOf(code, unit.timezone_name) : null,
    form: entry === null ? null : { action: addressOf(visit), nonce: issueNonce(visit.value, code, now), entry },
    notice: isActive ? noticeOf(code) : null,
    returnUrl: code.returnUrl,
  }
}

/** The locale of the page of a visit, and so of a payment that is submitted on it. */
export const localeOfVisit = ({ chosenLocale, acceptLanguage }: Visit, visited: VisitedCode | null): string =>
  localeOf({
    chosen: chosenLocale,
    ofCode: visited?.code.locale ?? null,
    acceptLanguage,
    ofUnit: visited === null ? null : defaultLocaleOf(visited.unit),
  })

function paymentOf(code: CodeFacts, timezone: string): PayPage['payment'] {
  const { amount, currency, items, communicationDetails, expiresAt, reference } = code
  const { description = null, payer_name: payerName = null } = communicationDetails
  return { amount, currency, items, description, payerName, expiresAt, timezone, reference }
}

/** The notice about the latest payment. */
function noticeOf({ lastError }: CodeFacts): PayPage['notice'] {
  if (lastError === null || lastError.kind === 'message') return null
  if (lastError.kind === 'declined') return { kind: 'declined', declineCode: lastError.code }
  return { kind: lastError.kind }
}

import type { PageReply, PageStatus } from '@payments/contracts/grammar/contract'
import { cardPageUrl } from '../card-page/address.ts'
import type { CodeFacts } from '../domain/code.ts'
import { hashOf, pathOf } from '../domain/code-value.ts'
import type { FormRejection, FormReply } from '../domain/form-decision.ts'
import { issueNonce } from '../domain/nonce.ts'
import type { Visit, VisitedCode } from '../payment/visit.ts'
import { preferredLocale } from './locale.ts'
import type { Notice, PaymentForm, PayPage } from './model.ts'
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
  return { status: statusOfState[page.state], ...renderPayPage(page, visit.acceptLanguage) }
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
    return { status: 303, html: '', policy: "default-src 'none'", location: pathOf(visit.value) }
  }
  if (reply === 'page') return replyWithPage(visit, visited)
  const { notice: kind, ...head } = rejections[reply]
  return { ...head, ...renderPayPage({ ...pageOf(visit, visited), notice: { kind } }, visit.acceptLanguage) }
}

const unknownPage: PayPage = {
  state: 'unknown',
  merchant: null,
  payment: null,
  form: null,
  notice: null,
  returnUrl: null,
  refreshSeconds: null,
}

function pageOf(visit: Visit, visited: VisitedCode | null): PayPage {
  if (visited === null) return unknownPage
  const { value } = visit
  const { code, now, unit, status: state, entry } = visited
  const isActive = state === 'active'
  return {
    state,
    merchant: {
      name: unit.branding.display_name ?? unit.name,
      logoUrl: unit.branding.logo_url ?? null,
      primaryColor: unit.branding.primary_color ?? null,
      supportEmail: unit.branding.support_email ?? null,
    },
    payment: isActive || state === 'processing' || state === 'completed' ? paymentOf(code, unit.timezone_name) : null,
    form:
      entry === null
        ? null
        : { action: pathOf(value), nonce: issueNonce(value, code, now), entry: shownEntry(visit, visited, entry) },
    notice: isActive ? noticeOf(code) : null,
    returnUrl: code.returnUrl,
    refreshSeconds: state === 'processing' ? refreshSecondsOf(code, now) : null,
  }
}

/** Our card page has the address of a ticket. */
function shownEntry(
  { value, acceptLanguage }: Visit,
  { code }: VisitedCode,
  entry: NonNullable<VisitedCode['entry']>,
): PaymentForm['entry'] {
  if (entry.kind !== 'card_page') return entry
  const ticketed = { id: code.id, codeHash: hashOf(value) }
  return { kind: 'frame', url: cardPageUrl(entry.origin, ticketed, preferredLocale(acceptLanguage)), isTrusted: true }
}

function paymentOf(code: CodeFacts, timezone: string): PayPage['payment'] {
  const { amount, currency, items, communicationDetails, expiresAt, reference } = code
  const { description = null, payer_name: payerName = null } = communicationDetails
  return { amount, currency, items, description, payerName, expiresAt, timezone, reference }
}

/** Most payments end within seconds. A payment without an outcome after them takes minutes. */
function refreshSecondsOf({ claimedAt }: CodeFacts, now: Date): number {
  const ageMs = now.getTime() - (claimedAt?.getTime() ?? 0)
  return ageMs < 20_000 ? 1 : 5
}

/** The notice about the latest payment. */
function noticeOf({ lastError }: CodeFacts): PayPage['notice'] {
  if (lastError === null || lastError.kind === 'message') return null
  if (lastError.kind === 'declined') return { kind: 'declined', declineCode: lastError.code }
  return { kind: lastError.kind }
}

import type { UnitCopy } from '@payments/business-unit-copies/copy-row'
import type { PublicCaller } from '@payments/chassis/base/caller'
import type { PageReply, PageStatus } from '@payments/contracts/grammar/contract'
import { databaseNow } from '../code/clock.ts'
import type { Deps } from '../deps.ts'
import type { CodeFacts } from '../domain/code.ts'
import { statusAt } from '../domain/code-state.ts'
import { hashOf, pathOf } from '../domain/code-value.ts'
import { entryOf, isForTests, type PaymentEntry } from '../domain/entry.ts'
import type { FormRejection, FormReply, VisitStatus } from '../domain/form-decision.ts'
import { issueNonce } from '../domain/nonce.ts'
import type { Notice, PayPage } from '../page/model.ts'
import { renderPayPage } from '../page/render.ts'
import { findByHash } from '../store/codes.ts'

/** A request for a pay page: the value in the link, and what the renderer needs of the headers. */
export interface Visit {
  readonly value: string
  readonly traceId: string
  readonly acceptLanguage: string | undefined
  /** The link is a secret of the tenant of its code, whose audit shows the visit. */
  readonly recordTenant: PublicCaller['recordTenant']
}

/** A code as the page shows it: at one instant of the clock of the database. */
export interface VisitedCode {
  readonly code: CodeFacts
  readonly now: Date
  readonly unit: UnitCopy['businessUnit']
  readonly status: VisitStatus
  /** Null unless active. */
  readonly entry: PaymentEntry | null
}

type VisitDeps = Pick<Deps, 'db' | 'rbac' | 'businessUnits' | 'payBaseUrl' | 'acceptsTestMode' | 'log'>

/** Null for a value that is no code. */
export async function findVisited(deps: VisitDeps, visit: Visit): Promise<VisitedCode | null> {
  const found = await deps.db.acrossTenants(async (tx) => {
    const code = await findByHash(tx, hashOf(visit.value))
    return code === null ? null : { code, now: await databaseNow(tx) }
  })
  if (found === null) return null
  visit.recordTenant(found.code.tenantId)
  const { tenantId, businessUnitId } = found.code
  const copy = await deps.businessUnits.find({ tenantId, traceId: visit.traceId }, businessUnitId)
  const status = statusAt(found.code, found.now)
  const state = status === 'active' ? await stateOfActive(deps, found.code, copy, visit.traceId) : status
  const visited = { ...found, unit: copy.businessUnit, entry: null }
  return typeof state === 'string' ? { ...visited, status: state } : { ...visited, status: 'active', entry: state }
}

/** The entry of an active code, or why the code takes no payment. */
async function stateOfActive(
  deps: VisitDeps,
  code: CodeFacts,
  { businessUnit, paymentOrchestrators }: UnitCopy,
  traceId: string,
): Promise<PaymentEntry | 'canceled' | 'test' | 'unavailable'> {
  // The job has not canceled the code yet.
  if (businessUnit.status === 'deleted') return 'canceled'
  const orchestrator = paymentOrchestrators.find(({ id }) => id === code.paymentOrchestratorId)
  if (orchestrator !== undefined && isForTests(orchestrator) && !deps.acceptsTestMode) return 'test'
  const entry = orchestrator?.status === 'active' ? entryOf(orchestrator, deps.payBaseUrl) : null
  if (entry === null || !(await isTenantActive(deps, code, traceId))) return 'unavailable'
  return entry
}

/** False for a suspended tenant, and while rbac cannot be read. */
async function isTenantActive(
  { rbac, log }: Pick<Deps, 'rbac' | 'log'>,
  { id, tenantId }: CodeFacts,
  traceId: string,
): Promise<boolean> {
  try {
    const { status } = await rbac.readTenant({ traceId }, { params: { tenant_id: tenantId } })
    return status === 'active'
  } catch (err) {
    log.warn({ err, code_id: id, trace_id: traceId }, 'the tenant of a code cannot be read')
    return false
  }
}

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

function pageOf({ value }: Visit, visited: VisitedCode | null): PayPage {
  if (visited === null) return unknownPage
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
    form: entry === null ? null : { action: pathOf(value), nonce: issueNonce(value, code, now), entry },
    notice: isActive ? noticeOf(code) : null,
    returnUrl: code.returnUrl,
    refreshSeconds: state === 'processing' ? refreshSecondsOf(code, now) : null,
  }
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

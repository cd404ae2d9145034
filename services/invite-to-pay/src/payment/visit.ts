import type { PublicCaller } from '@payments/chassis/base/caller'
import { databaseNow } from '@payments/chassis/database/database-now'
import type { RawBody } from '@payments/contracts/grammar/contract'
import { chosenLocale } from '@payments/contracts/nouns/preferred-locale'
import type { UnitCopy } from '@payments/contracts/services/business-unit/unit-copy'
import type { Deps } from '../deps.ts'
import type { CodeFacts } from '../domain/code.ts'
import { statusAt } from '../domain/code-state.ts'
import { hashCode } from '../domain/code-value.ts'
import { findEntry, findOrchestrator, isForTests, isOrphaned, type PaymentEntry } from '../domain/entry.ts'
import type { VisitStatus } from '../domain/form-decision.ts'
import { findByHash } from '../store/codes.ts'

/** A request for a pay page: the value in the link, and what the renderer needs of the headers. */
export interface Visit {
  readonly value: string
  readonly traceId: string
  /** Of the address of the page. */
  readonly chosenLocale: string | null
  readonly acceptLanguage: string | undefined
  /** The link is a secret of the tenant of its code, whose audit shows the visit. */
  readonly recordTenant: PublicCaller['recordTenant']
}

interface PageRequest {
  readonly params: { readonly code: string }
  readonly query: { readonly lang?: string | undefined }
  readonly raw: RawBody
}

export function createVisit(
  { traceId, recordTenant }: Pick<PublicCaller, 'traceId' | 'recordTenant'>,
  { params, query, raw }: PageRequest,
): Visit {
  const acceptLanguage = raw.headers['accept-language']
  return { value: params.code, traceId, chosenLocale: chosenLocale(query.lang), acceptLanguage, recordTenant }
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

type VisitDeps = Pick<
  Deps,
  'db' | 'rbac' | 'businessUnits' | 'payBaseUrl' | 'cardPageOrigin' | 'acceptsTestMode' | 'log'
>

/** Null for a value that is no code. */
export async function findVisited(deps: VisitDeps, visit: Visit): Promise<VisitedCode | null> {
  const found = await deps.db.acrossTenants(async (tx) => {
    const code = await findByHash(tx, hashCode(visit.value))
    return code === null ? null : { code, now: await databaseNow(tx) }
  })
  if (found === null) return null
  visit.recordTenant(found.code.tenantId)
  const { tenantId, businessUnitId } = found.code
  const copy = await deps.businessUnits.find({ tenantId, traceId: visit.traceId }, businessUnitId)
  const status = statusAt(found.code, found.now)
  const state = status === 'active' ? await findPaymentEntry(deps, found.code, copy, visit.traceId) : status
  const visited = { ...found, unit: copy.businessUnit, entry: null }
  return typeof state === 'string' ? { ...visited, status: state } : { ...visited, status: 'active', entry: state }
}

/** The entry of an active code, or why the code takes no payment. */
export async function findPaymentEntry(
  deps: VisitDeps,
  code: CodeFacts,
  unit: UnitCopy,
  traceId: string,
): Promise<PaymentEntry | 'canceled' | 'test' | 'unavailable'> {
  // The job has not canceled the code yet.
  if (isOrphaned(code, unit)) return 'canceled'
  const orchestrator = findOrchestrator(code, unit)
  if (orchestrator !== undefined && isForTests(orchestrator) && !deps.acceptsTestMode) return 'test'
  const entry = orchestrator?.status === 'active' ? findEntry(orchestrator, deps) : null
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

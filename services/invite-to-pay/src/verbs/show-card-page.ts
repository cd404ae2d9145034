import type { PublicCaller } from '@payments/chassis/base/caller'
import { databaseNow } from '@payments/chassis/database/database-now'
import type { PageReply } from '@payments/contracts/grammar/contract'
import { type CardPage, renderCardPage } from '../card-page/render.ts'
import type { Deps } from '../deps.ts'
import { codeIdIn, isTicketFor } from '../domain/card-page-ticket.ts'
import type { CodeFacts } from '../domain/code.ts'
import { statusAt } from '../domain/code-state.ts'
import { findEntry, isForTests } from '../domain/entry.ts'
import { isTenantActive } from '../payment/visit.ts'
import { findWithHash } from '../store/codes.ts'

type CardPageDeps = Pick<
  Deps,
  'db' | 'rbac' | 'businessUnits' | 'payBaseUrl' | 'cardPageOrigin' | 'acceptsTestMode' | 'log'
>

/**
 * The card page of the code of a ticket, in a frame of its pay page. Changes nothing. Any other text, and a code that
 * takes no payment on this page, have the same page with 404. Throws service_unavailable.
 */
export async function showCardPage(
  deps: CardPageDeps,
  caller: PublicCaller,
  ticket: string,
  lang: string | undefined,
): Promise<PageReply> {
  const code = await findActiveCode(deps, ticket)
  const page = code === null ? null : await readCardPage(deps, caller, code)
  return renderCardPage(page, { lang, payOrigin: deps.payBaseUrl })
}

async function findActiveCode({ db }: Pick<Deps, 'db'>, ticket: string): Promise<CodeFacts | null> {
  const id = codeIdIn(ticket)
  if (id === null) return null
  return db.acrossTenants(async (tx) => {
    const found = await findWithHash(tx, id)
    if (found === null || !isTicketFor(ticket, { id, codeHash: found.codeHash })) return null
    return statusAt(found.code, await databaseNow(tx)) === 'active' ? found.code : null
  })
}

async function readCardPage(deps: CardPageDeps, caller: PublicCaller, code: CodeFacts): Promise<CardPage | null> {
  const { tenantId, businessUnitId, amount, currency } = code
  caller.recordTenant(tenantId)
  const { businessUnit, paymentOrchestrators } = await deps.businessUnits.find(
    { tenantId, traceId: caller.traceId },
    businessUnitId,
  )
  const orchestrator = paymentOrchestrators.find(({ id }) => id === code.paymentOrchestratorId)
  if (businessUnit.status === 'deleted' || orchestrator?.status !== 'active') return null
  if (isForTests(orchestrator) && !deps.acceptsTestMode) return null
  const entry = findEntry(orchestrator, deps)
  if (entry?.kind !== 'card_page' || !(await isTenantActive(deps, code, caller.traceId))) return null
  const { publishableKey } = entry
  return { amount, currency, publishableKey, primaryColor: businessUnit.branding.primary_color ?? null }
}

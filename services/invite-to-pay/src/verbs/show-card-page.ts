import type { PublicCaller } from '@payments/chassis/base/caller'
import { databaseNow } from '@payments/chassis/database/database-now'
import type { PageReply } from '@payments/contracts/grammar/contract'
import { type CardPage, renderCardPage } from '../card-page/render.ts'
import type { Deps } from '../deps.ts'
import { codeIdIn, isTicketFor } from '../domain/card-page-ticket.ts'
import type { CodeFacts } from '../domain/code.ts'
import { statusAt } from '../domain/code-state.ts'
import { findPaymentEntry } from '../payment/visit.ts'
import { findById } from '../store/codes.ts'

type CardPageDeps = Parameters<typeof findPaymentEntry>[0]

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
    const code = await findById(tx, id)
    if (code === null || !isTicketFor(ticket, code)) return null
    return statusAt(code, await databaseNow(tx)) === 'active' ? code : null
  })
}

async function readCardPage(deps: CardPageDeps, caller: PublicCaller, code: CodeFacts): Promise<CardPage | null> {
  const { tenantId, businessUnitId, amount, currency } = code
  caller.recordTenant(tenantId)
  const unit = await deps.businessUnits.find({ tenantId, traceId: caller.traceId }, businessUnitId)
  const entry = await findPaymentEntry(deps, code, unit, caller.traceId)
  if (typeof entry === 'string' || entry.kind !== 'card_page') return null
  const { primary_color: primaryColor = null } = unit.businessUnit.branding
  return { amount, currency, publishableKey: entry.publishableKey, primaryColor }
}

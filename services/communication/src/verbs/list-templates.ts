import type { Caller } from '@payments/chassis/base/caller'
import { encodeCursor, idBefore, type Page, type PageQuery, pageOfPart, toPage } from '@payments/contracts/grammar/page'
import type { Template } from '@payments/contracts/services/communication/templates'
import type { Deps } from '../deps.ts'
import { builtInTemplates } from '../domain/built-in-templates.ts'
import { type CommunicationType, presentTemplate } from '../domain/template.ts'
import * as templates from '../store/templates.ts'

interface TemplatesQuery extends PageQuery {
  readonly business_unit_id?: string | undefined
  readonly communication_type?: CommunicationType | undefined
  readonly kind?: 'custom' | 'built_in' | undefined
  readonly locale?: string | undefined
}

/** The ids of built-in templates are lower than those of all others, so built-in templates are the end of the list. */
export async function listTemplates(deps: Deps, caller: Caller, query: TemplatesQuery): Promise<Page<Template>> {
  const { limit, kind, locale, communication_type: communicationType, business_unit_id: businessUnitId } = query
  const { tenantId } = caller
  const before = idBefore(query.cursor)
  const search = { before, limit, businessUnitId, communicationType, locale }
  const custom =
    kind === 'built_in'
      ? { rows: [], continuesAfter: null }
      : await deps.db.readInTenant(tenantId, (tx) => templates.list(tx, tenantId, search))
  const builtIn = builtInTemplates.filter(
    (template) =>
      kind !== 'custom' &&
      locale === undefined &&
      (before === undefined || template.id < before) &&
      (communicationType === undefined || template.communicationType === communicationType),
  )
  if (custom.continuesAfter !== null) return pageOfPart(custom, encodeCursor, presentTemplate)
  return toPage([...custom.rows, ...builtIn], limit, presentTemplate)
}

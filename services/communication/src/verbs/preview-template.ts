import type { Caller } from '@payments/chassis/base/caller'
import { loopShare } from '@payments/chassis/base/loop-share'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/communication/contract'
import type { Deps } from '../deps.ts'
import { builtInTemplate } from '../domain/built-in-templates.ts'
import type { Rendered, Values } from '../domain/render.ts'
import { renderTemplate } from '../domain/render-template.ts'
import { findTemplate } from '../store/templates.ts'

interface Preview {
  readonly businessUnitId: string | null
  readonly values: Values
  /** The language of a built-in template. */
  readonly locale: string | null
}

/**
 * Renders the template itself, not one of its translations.
 * Throws template_not_found, business_unit_not_found, invalid_request, rate_limited, service_unavailable.
 */
export async function previewTemplate(
  deps: Deps,
  caller: Caller,
  id: string,
  { businessUnitId, values, locale }: Preview,
): Promise<Rendered> {
  const { tenantId } = caller
  const template = builtInTemplate(id) ?? (await deps.db.readInTenant(tenantId, (tx) => findTemplate(tx, tenantId, id)))
  if (template === null) throw new Problem(problems.template_not_found)
  const unit = businessUnitId === null ? null : (await deps.businessUnits.find(caller, businessUnitId)).businessUnit
  return loopShare.run(tenantId, () => renderTemplate(template, { values, items: null, locale }, unit))
}

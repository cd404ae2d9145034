import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/communication/contract'
import type { Deps } from '../deps.ts'
import { builtInTemplate } from '../domain/built-in-templates.ts'
import type { Rendered, Values } from '../domain/render.ts'
import { renderTemplate } from '../domain/render-template.ts'
import { findTemplate } from '../store/templates.ts'

/** Throws template_not_found, business_unit_not_found, invalid_request, service_unavailable. */
export async function previewTemplate(
  deps: Deps,
  caller: Caller,
  id: string,
  { businessUnitId, values }: { readonly businessUnitId: string | null; readonly values: Values },
): Promise<Rendered> {
  const { tenantId } = caller
  const template = builtInTemplate(id) ?? (await deps.db.readInTenant(tenantId, (tx) => findTemplate(tx, tenantId, id)))
  if (template === null) throw new Problem(problems.template_not_found)
  const unit = businessUnitId === null ? null : (await deps.businessUnits.find(caller, businessUnitId)).businessUnit
  return renderTemplate(template, values, unit)
}

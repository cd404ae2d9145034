import type { ServiceCaller } from '@payments/chassis/base/caller'
import { requireUsableTemplate, templateUnusable } from '../delivery/usable-template.ts'
import type { Deps } from '../deps.ts'
import type { Values } from '../domain/render.ts'
import { declaredValues, renderTemplate } from '../domain/render-template.ts'
import type { CommunicationType } from '../domain/template.ts'

interface TemplateCheck {
  readonly tenantId: string
  readonly businessUnitId: string
  readonly communicationType: CommunicationType
  readonly templateId: string
  readonly variables: Values
  /** Variables that the template must declare. */
  readonly required: readonly string[]
}

/**
 * Renders the template as `queueCommunication` would, and drops the result. So the check passes for a template and
 * variables that a message can have.
 * Throws invalid_request, business_unit_not_found, business_unit_deleted, template_unusable, service_unavailable.
 */
export async function checkTemplate(deps: Deps, { traceId }: ServiceCaller, check: TemplateCheck): Promise<undefined> {
  const { tenantId, variables, required } = check
  const { businessUnit } = await deps.businessUnits.requireActive({ tenantId, traceId }, check.businessUnitId)
  const template = await deps.db.readInTenant(tenantId, (tx) => requireUsableTemplate(tx, tenantId, check))
  const declared = new Set(template.variables.map(({ name }) => name))
  const lacking = required.filter((name) => !declared.has(name))
  if (lacking.length > 0) throw templateUnusable(`must declare the variables ${lacking.join(', ')}`)
  renderTemplate(template, declaredValues(template, variables), businessUnit)
}

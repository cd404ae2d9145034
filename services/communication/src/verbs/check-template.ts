import { setImmediate } from 'node:timers/promises'
import type { ServiceCaller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import type { BusinessUnit } from '@payments/contracts/services/business-unit/contract'
import { requireUsableTemplate, templateUnusable } from '../delivery/usable-template.ts'
import type { Deps } from '../deps.ts'
import type { Values } from '../domain/render.ts'
import { declaredValues, renderTemplate } from '../domain/render-template.ts'
import type { CommunicationType, TemplateFacts } from '../domain/template.ts'
import { listTranslations } from '../store/templates.ts'

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
 * Renders the template and each of its translations as `queueCommunication` would, and drops the results. So the check
 * passes for a template and variables that a message in any language can have.
 * Throws invalid_request, business_unit_not_found, business_unit_deleted, template_unusable, service_unavailable.
 */
export async function checkTemplate(deps: Deps, { traceId }: ServiceCaller, check: TemplateCheck): Promise<undefined> {
  const { tenantId } = check
  const { businessUnit } = await deps.businessUnits.requireActive({ tenantId, traceId }, check.businessUnitId)
  const { named, translations } = await deps.db.readInTenant(tenantId, async (tx) => {
    const found = await requireUsableTemplate(tx, tenantId, check)
    return {
      named: found,
      translations: found.kind === 'built_in' ? [] : await listTranslations(tx, tenantId, found),
    }
  })
  requireRenderable(named, check, businessUnit)
  for (const translation of translations) {
    // Each costs up to 64 KiB of HTML to parse; other requests proceed in between.
    await setImmediate()
    try {
      requireRenderable(translation, check, businessUnit)
    } catch (error) {
      throw namedInProblem(error, translation)
    }
  }
}

function requireRenderable(template: TemplateFacts, { variables, required }: TemplateCheck, unit: BusinessUnit): void {
  const declared = new Set(template.variables.map(({ name }) => name))
  const lacking = required.filter((name) => !declared.has(name))
  if (lacking.length > 0) throw templateUnusable(`must declare the variables ${lacking.join(', ')}`)
  renderTemplate(template, { values: declaredValues(template, variables), items: [], locale: null }, unit)
}

/** The problem of a translation, whose errors name it: the request names another template. */
function namedInProblem(error: unknown, { id, locale }: TemplateFacts): unknown {
  if (!(error instanceof Problem)) return error
  const { options } = error
  const errors = options.errors?.map(({ pointer, detail }) => ({
    pointer,
    detail: `${detail} (translation ${locale}, ${id})`,
  }))
  return new Problem(error, { ...options, ...(errors === undefined ? {} : { errors }) })
}

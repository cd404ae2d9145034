import type { BusinessUnit } from '@payments/contracts/services/business-unit/contract'
import { brandingOf } from './branding.ts'
import { withBranding } from './built-in-templates.ts'
import { errorsOfNames, type Rendered, rejectErrors, render, type Values } from './render.ts'
import type { TemplateFacts } from './template.ts'

export function declaredValues({ variables }: TemplateFacts, values: Values): Values {
  const declared = new Set(variables.map(({ name }) => name))
  return Object.fromEntries(Object.entries(values).filter(([name]) => declared.has(name)))
}

/** Renders a template for a unit, whose branding a built-in template gets. Throws invalid_request, as `render`. */
export function renderTemplate(template: TemplateFacts, values: Values, unit: BusinessUnit | null): Rendered {
  if (template.kind === 'custom') return render(template.communicationType, template, values)
  rejectErrors(errorsOfNames(template, values))
  const all = { ...values, ...brandingOf(unit) }
  return render(template.communicationType, withBranding(template, all), all)
}

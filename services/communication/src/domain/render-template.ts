import type { FieldError } from '@payments/contracts/grammar/problem'
import type { BusinessUnit } from '@payments/contracts/services/business-unit/contract'
import { brandingVariables } from './branding.ts'
import { builtInContent, itemVariables } from './built-in-content.ts'
import { type BuiltInTemplate, builtInTemplate } from './built-in-templates.ts'
import { type Item, itemLines, itemRows } from './items.ts'
import { textLocale } from './locales.ts'
import { valueIn } from './placeholders.ts'
import { errorsOfNames, type Rendered, rejectErrors, render, type Values } from './render.ts'
import type { TemplateFacts } from './template.ts'

/** The values that a message puts into a template. */
export interface MessageValues {
  readonly values: Values
  /** Lines of the order, which replace the variable `items`. Null: the caller gives variables alone. */
  readonly items: readonly Item[] | null
  /** The language that the request names. */
  readonly locale: string | null
}

export function declaredValues({ variables }: Pick<TemplateFacts, 'variables'>, values: Values): Values {
  const declared = new Set(variables.map(({ name }) => name))
  return Object.fromEntries(Object.entries(values).filter(([name]) => declared.has(name)))
}

/**
 * Renders a template for a unit. A built-in template gets the branding of the unit, and the language of the message.
 * Throws invalid_request, as `render`.
 */
export function renderTemplate(template: TemplateFacts, message: MessageValues, unit: BusinessUnit | null): Rendered {
  const locale = textLocale(message.locale, unit)
  const values = withItems(template, message, locale)
  const builtIn = builtInTemplate(template.id)
  if (builtIn === undefined) return render(template.communicationType, template, values)
  rejectErrors(errorsOfNames(template, values))
  return renderBuiltIn(builtIn, { ...values, ...brandingVariables(unit) }, { items: message.items ?? [], locale })
}

/** Variables that the template does not declare, and required ones that the message lacks, without rendering it. */
export function errorsOfValues(template: Pick<TemplateFacts, 'variables'>, message: MessageValues): FieldError[] {
  return errorsOfNames(template, withItems(template, message, textLocale(message.locale, null)))
}

function withItems(
  { variables }: Pick<TemplateFacts, 'variables'>,
  { values, items }: MessageValues,
  locale: string,
): Values {
  if (items === null || !variables.some(({ name }) => name === 'items')) return values
  return items.length === 0 && Object.hasOwn(values, 'items') ? values : { ...values, items: itemLines(items, locale) }
}

function renderBuiltIn(
  { name, communicationType }: BuiltInTemplate,
  given: Values,
  { items, locale }: { readonly items: readonly Item[]; readonly locale: string },
): Rendered {
  const rows = itemRows(items, locale)
  const cells = rows.flatMap((row, index) => {
    const [item, sum] = itemVariables(index + 1)
    return [[item, row.name] as const, [sum, row.amount ?? ''] as const]
  })
  const values: Values = { ...given, ...Object.fromEntries(cells) }
  const has = (variable: string) => valueIn(values, variable) !== ''
  const content = builtInContent(name, communicationType, { locale, has, rows })
  const variables = Object.keys(values).map((variable) => ({ name: variable, required: false, description: '' }))
  return render(communicationType, { ...content, variables }, values)
}

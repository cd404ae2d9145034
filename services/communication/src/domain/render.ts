import { commonProblems, type FieldError, Problem } from '@payments/contracts/grammar/problem'
import { checkedHtml, withValues } from './message-html.ts'
import { readPlaceholders, replacePlaceholders, valueIn } from './placeholders.ts'
import type { CommunicationType, TemplateContent } from './template.ts'

/** Rendered text, as a provider sends it. */
export interface Rendered {
  readonly subject: string | null
  readonly text: string
  readonly html: string | null
}

export type Values = Readonly<Record<string, string>>

const subjectLengthMax = 200
const textBytesMax = 64 * 1024
/** Ten segments. */
const smsLengthMax = 1_600

/**
 * Renders a template: `{{name}}` is replaced by the value of the declared variable `name`, and there is no other logic.
 * Values are HTML-escaped in the HTML part, which is then sanitized. The subject has one line. Values are never read as
 * templates.
 *
 * Throws invalid_request that names each undeclared or missing variable, a value that the sanitizer would remove, such
 * as a link of another scheme, and a part that is too long.
 */
export function render(
  type: CommunicationType,
  template: Omit<TemplateContent, 'name' | 'locale'>,
  values: Values,
): Rendered {
  rejectErrors(errorsOfNames(template, values))
  const lookUp = (name: string) => valueIn(values, name)
  rejectErrors(errorsOfValueLengths(template, lookUp))
  const parts = {
    subject: template.subject === null ? null : oneLine(replacePlaceholders(template.subject, lookUp)),
    text: replacePlaceholders(template.text, lookUp),
    html: template.html === null ? null : withValues(template.html, lookUp),
  }
  // Before the HTML is parsed, which costs more than its length.
  rejectErrors(errorsOfLength(type, parts, '/variables'))
  if (template.html === null || parts.html === null) return parts
  const { html, errors } = checkedHtml(template.html, parts.html, lookUp)
  rejectErrors(errors.map(({ variable, detail }) => ({ pointer: `/variables/${variable}`, detail })))
  const rendered = { ...parts, html }
  rejectErrors(errorsOfLength(type, rendered, '/variables'))
  return rendered
}

/** Before a part is rendered: a variable that is used often makes a part many times longer than its template. */
function errorsOfValueLengths(
  template: Pick<TemplateContent, 'subject' | 'text' | 'html'>,
  lookUp: (name: string) => string,
): FieldError[] {
  const parts = ['subject', 'text', 'html'] as const
  return parts.flatMap((part) => {
    const { names } = readPlaceholders(template[part] ?? '')
    const length = names.reduce((sum, name) => sum + lookUp(name).length, 0)
    return length > textBytesMax
      ? [{ pointer: '/variables', detail: `make the ${part} longer than ${textBytesMax} bytes` }]
      : []
  })
}

/** Variables that the template does not declare, and required ones without a value. */
export function errorsOfNames({ variables }: Pick<TemplateContent, 'variables'>, values: Values): FieldError[] {
  const declared = new Set(variables.map(({ name }) => name))
  const undeclared = Object.keys(values).filter((name) => !declared.has(name))
  const missing = variables.filter(({ name, required }) => required && !Object.hasOwn(values, name))
  return [
    ...undeclared.map((name) => ({ pointer: `/variables/${name}`, detail: 'is not a variable of the template' })),
    ...missing.map(({ name }) => ({ pointer: `/variables/${name}`, detail: 'is required' })),
  ]
}

/** `pointer`: the field that made the text too long, where the parts are not fields themselves. */
export function errorsOfLength(type: CommunicationType, rendered: Rendered, pointer: string | null): FieldError[] {
  const { subject, text, html } = rendered
  const tooLong = (field: string, limit: string) => ({
    pointer: pointer ?? field,
    detail: pointer === null ? `must have at most ${limit}` : `make the ${field.slice(1)} longer than ${limit}`,
  })
  const bytes = `${textBytesMax} bytes`
  return [
    ...(subject !== null && subject.length > subjectLengthMax
      ? [tooLong('/subject', `${subjectLengthMax} characters`)]
      : []),
    ...(Buffer.byteLength(text) > textBytesMax ? [tooLong('/text', bytes)] : []),
    ...(type === 'SMS' && text.length > smsLengthMax ? [tooLong('/text', `${smsLengthMax} characters`)] : []),
    ...(html !== null && Buffer.byteLength(html) > textBytesMax ? [tooLong('/html', bytes)] : []),
  ]
}

/** For header fields: white space and control characters become one blank. */
export function oneLine(value: string): string {
  return value.replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}

export function rejectErrors(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw new Problem(commonProblems.invalid_request, { errors: errors.slice(0, 50) })
}

import type { FieldError } from '@payments/contracts/grammar/problem'
import { reasonAgainst, sanitize } from './message-html.ts'
import { hasLinkInAddress, linkVariable, readPlaceholders, replacePlaceholders } from './placeholders.ts'
import { errorsOfLength, oneLine, rejectErrors } from './render.ts'
import type { CommunicationType, TemplateContent } from './template.ts'

/** Throws invalid_request with every field that makes the template unusable. */
export function requireUsableContent(type: CommunicationType, content: TemplateContent): void {
  const { subject, text, html, variables } = content
  const names = variables.map(({ name }) => name)
  const declared = new Set(names)
  const repeated = names.flatMap((name, i) =>
    names.indexOf(name) < i ? [{ pointer: `/variables/${i}/name`, detail: 'is declared twice' }] : [],
  )
  rejectErrors([
    ...errorsOfChannel(type, content),
    ...repeated,
    ...errorsOfPlaceholders('/subject', subject ?? '', declared),
    ...errorsOfPlaceholders('/text', text, declared),
    ...errorsOfPlaceholders('/html', html ?? '', declared),
  ])
  rejectErrors(errorsOfFixedLength(type, content))
}

/** Errors of parts that no message can have: they are too long without the values of variables. */
function errorsOfFixedLength(type: CommunicationType, { subject, text, html }: TemplateContent): FieldError[] {
  const fixed = (part: string) => replacePlaceholders(part, () => '')
  const parts = {
    subject: subject === null ? null : oneLine(fixed(subject)),
    text: fixed(text),
    html: html === null ? null : sanitize(fixed(html)),
  }
  return errorsOfLength(type, parts, null)
}

/** Errors of parts that the channel does not have, and of HTML that is not allowed. */
export function errorsOfChannel(
  type: CommunicationType,
  { subject, html }: { readonly subject: string | null; readonly html: string | null },
): FieldError[] {
  const reason = html === null ? null : reasonAgainst(html)
  return [
    ...(type === 'EMAIL' && subject === null ? [{ pointer: '/subject', detail: 'is required for EMAIL' }] : []),
    ...(type === 'SMS' && subject !== null ? [{ pointer: '/subject', detail: 'must be absent for SMS' }] : []),
    ...(type === 'SMS' && html !== null ? [{ pointer: '/html', detail: 'must be absent for SMS' }] : []),
    ...(reason === null ? [] : [{ pointer: '/html', detail: reason }]),
  ]
}

/** Errors of the placeholders of one part of a template. */
function errorsOfPlaceholders(pointer: string, part: string, declared: ReadonlySet<string>): FieldError[] {
  const { names, invalid } = readPlaceholders(part)
  if (invalid !== null) return [{ pointer, detail: `has ${invalid.slice(0, 60)}, which is no {{variable}}` }]
  if (hasLinkInAddress(part)) return [{ pointer, detail: `must not use {{${linkVariable}}} within another address` }]
  const undeclared = [...new Set(names)].filter((name) => !declared.has(name))
  return undeclared.map((name) => ({ pointer, detail: `uses {{${name}}}, which \`variables\` does not declare` }))
}

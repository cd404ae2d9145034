import type { Template } from '@payments/client/schemas'
import { localeName } from '../../layout/fields.tsx'
import { useItems } from '../../session/reads.ts'

/** The templates of a channel that a business unit can use: its own first, the built-in ones last. */
export const useTemplates = (unitId: string, channel: Template['communication_type']): readonly Template[] =>
  useItems('listTemplates', 'templates', { business_unit_id: unitId, communication_type: channel })

/** The name of a template by its id. Undefined for a deleted template, and where the person may not read templates. */
export function useTemplateName(): (id: string) => string | undefined {
  const templates = useItems('listTemplates', 'templates')
  return (id) => templates.find((template) => template.id === id)?.name
}

/** The language of a template. The platform has the built-in ones in each language of a message. */
export function languageName({ kind, locale }: Pick<Template, 'kind' | 'locale'>): string {
  if (locale !== null) return localeName(locale)
  return kind === 'built_in' ? 'that of the message' : 'any'
}

/** The variables whose values the platform gives to each invitation. */
const ofInvitations: ReadonlySet<string> = new Set([
  ...['amount', 'payment_url', 'payer_name', 'description', 'reference'],
  ...['expires_on', 'expires_at'],
])

/** The variables of a template whose values the tenant gives to an invitation. */
export const selectOwnVariables = (template: Template | undefined) =>
  template?.variables.filter(({ name }) => !ofInvitations.has(name)) ?? []

/** The template of an invitation: the chosen one, or the built-in one of the channel. */
export const findInvitationTemplate = (templates: readonly Template[], templateId: string | null) =>
  templates.find(({ id, kind, name }) =>
    templateId === null ? kind === 'built_in' && name === 'invitation' : id === templateId,
  )

export const channelNames: Readonly<Record<Template['communication_type'], string>> = { EMAIL: 'Email', SMS: 'SMS' }

const placeholder = /\{\{\s*([a-z][a-z0-9_]{0,49})\s*\}\}/g

/** The names of the variables that the texts use, each once, in order. */
export const listPlaceholders = (...texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(placeholder)].map(([, name = '']) => name))),
]

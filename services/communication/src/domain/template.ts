import type { Template, TemplateVariable, TemplateVersion } from '@payments/contracts/services/communication/templates'

export type CommunicationType = 'EMAIL' | 'SMS'

/** The fields that each version of a template has. */
export interface TemplateContent {
  readonly name: string
  /** Language of its readers. Null: any. */
  readonly locale: string | null
  readonly subject: string | null
  readonly text: string
  readonly html: string | null
  readonly variables: readonly TemplateVariable[]
}

export interface TemplateFacts extends TemplateContent {
  readonly id: string
  readonly kind: 'custom' | 'built_in'
  readonly businessUnitId: string | null
  readonly communicationType: CommunicationType
  readonly version: number
  /** Whether messages that name another template of its name, channel and business unit can have its text. */
  readonly translates: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A translation without its text. */
export type Translation = Pick<TemplateFacts, 'id' | 'locale' | 'variables'>

export function presentTemplate(template: TemplateFacts): Template {
  const { subject, text, html, variables } = template
  return { ...presentTemplateEvent(template), subject, text, html, variables: [...variables] }
}

/** The payload of events: without the text of the template. */
export function presentTemplateEvent(
  template: TemplateFacts,
): Omit<Template, 'subject' | 'text' | 'html' | 'variables'> {
  return {
    id: template.id,
    object: 'template',
    kind: template.kind,
    business_unit_id: template.businessUnitId,
    communication_type: template.communicationType,
    version: template.version,
    name: template.name,
    locale: template.locale,
    translates: template.translates,
    created_at: template.createdAt.toISOString(),
    updated_at: template.updatedAt.toISOString(),
  }
}

export function presentTemplateVersion(
  templateId: string,
  { version, createdAt, ...content }: TemplateContent & { readonly version: number; readonly createdAt: Date },
): TemplateVersion {
  const { name, locale, subject, text, html, variables } = content
  return {
    template_id: templateId,
    version,
    name,
    locale,
    subject,
    text,
    html,
    variables: [...variables],
    created_at: createdAt.toISOString(),
  }
}

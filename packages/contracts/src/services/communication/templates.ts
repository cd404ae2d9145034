import { z } from 'zod'
import { tenantEvent } from '../../grammar/event.ts'
import { id, instant, prose, text, updateBody, uuid } from '../../grammar/field.ts'
import { nameText } from '../../grammar/name.ts'
import { page, pageQuery, positionedPageQuery } from '../../grammar/page.ts'
import { defineProblems } from '../../grammar/problem.ts'
import { tenantRoute } from '../../grammar/route.ts'
import { communicationType, variableName, variablesMax, variableValues } from '../../nouns/communication-text.ts'
import { locale } from '../../nouns/locale.ts'

export const templateProblems = defineProblems({
  template_not_found: {
    status: 404,
    title: 'Template not found',
    explanation: 'The tenant has no template with this id.',
  },
  built_in_template: {
    status: 409,
    title: 'A built-in template cannot be changed or deleted',
    explanation: 'Built-in templates are the same for every tenant. Create a template instead.',
  },
  too_many_templates: {
    status: 409,
    title: 'Too many templates',
    explanation: 'A tenant can have 500 templates. Delete unused ones.',
  },
})

/** Per tenant, deleted ones excluded. */
export const templatesMax = 500

const textMax = 65_536
const unitText = 'Business unit that can use it. Null: all business units of the tenant.'
const htmlText =
  'HTML part of an EMAIL. Values are HTML-escaped. Scripts, frames and event handlers are rejected. Null: text only.'

const localeText =
  'Language of its readers. Templates of one name, channel and business unit are translations of each other: a message has the one that is nearest to its `locale`. Null: any language.'

const translatesText =
  'Whether messages that name another template of its name, channel and business unit can have its text. False if its creator lacks communication:UpdateTemplate, until the template is changed.'

const variable = z
  .strictObject({
    name: variableName.describe('Name, written `{{name}}` in the template.'),
    required: z.boolean().default(true).describe('Whether each message must give a value. Otherwise empty by default.'),
    description: prose(500).default('').describe('Meaning of the variable.'),
  })
  .meta({ id: 'TemplateVariable', description: 'A variable that a template uses.' })

const variables = z.array(variable).max(variablesMax)

const content = {
  name: z.string().describe('Name of the template.'),
  locale: z.string().nullable().describe(localeText),
  subject: z.string().nullable().describe('Subject of an EMAIL. Null for SMS.'),
  text: z.string().describe('Text.'),
  html: z.string().nullable().describe(htmlText),
  variables: z.array(variable).describe('Variables that the template may use.'),
}

const template = z
  .object({
    id: uuid.describe('Identifier of the template.'),
    object: z.literal('template').describe('Kind of the resource.'),
    kind: z.enum(['custom', 'built_in']).describe('Built-in templates cannot be changed.'),
    business_unit_id: uuid.nullable().describe(unitText),
    communication_type: communicationType,
    version: z.int().describe('Grows with each change.'),
    ...content,
    translates: z.boolean().describe(translatesText),
    created_at: instant.describe('When the template was created.'),
    updated_at: instant.describe('When the template last changed.'),
  })
  .meta({ id: 'Template', description: 'Text with variables, from which messages are rendered.' })

export type Template = z.input<typeof template>
export type TemplateVariable = z.output<typeof variable>

const templateVersion = z
  .object({
    template_id: uuid.describe('Identifier of the template.'),
    version: z.int().describe('Number of the version, from 1.'),
    ...content,
    created_at: instant.describe('When the version was made.'),
  })
  .meta({ id: 'TemplateVersion', description: 'A version of a template.' })

export type TemplateVersion = z.input<typeof templateVersion>

const eventPayload = z
  .object({
    template: template
      .omit({ subject: true, text: true, html: true, variables: true })
      .describe('The template after the change, without its text.'),
  })
  .meta({ id: 'TemplateEvent', description: 'Payload of template events. Without the text of the template.' })

const exampleEvent = {
  template: {
    id: '0191e4a2-0000-7d11-8c55-91b6e0a7c031',
    object: 'template' as const,
    kind: 'custom' as const,
    business_unit_id: null,
    communication_type: 'EMAIL' as const,
    version: 1,
    name: 'Order shipped',
    locale: 'en',
    translates: true,
    created_at: '2026-11-21T10:00:00.000Z',
    updated_at: '2026-11-21T10:00:00.000Z',
  },
}

/** Of the tenant: a template may be for all business units. */
export const templateEvents = {
  'communication.templates.create': tenantEvent('A message template was created.', eventPayload, exampleEvent),
  'communication.templates.update': tenantEvent(
    'A message template was changed: it has a new version.',
    eventPayload,
    exampleEvent,
  ),
  'communication.templates.delete': tenantEvent('A message template was deleted.', eventPayload, exampleEvent),
}

const fields = {
  name: nameText(100).describe('Name of the template.'),
  locale: locale.nullable().describe(localeText),
  subject: text(200).nullable().describe('Subject of an EMAIL, required there. Null for SMS.'),
  text: text(textMax).describe('Text. `{{name}}` is replaced by the value of the variable `name`.'),
  html: text(textMax).nullable().describe(htmlText),
  variables: variables.describe('Variables that the template may use.'),
}

const path = '/v1/communication/templates'
const onePath = `${path}/{template_id}` as const
const params = z.strictObject({ template_id: id.describe('Identifier of the template.') })

export const templateEndpoints = {
  createTemplate: {
    ...tenantRoute('POST', path, 'communication:CreateTemplate'),
    readsPermissions: ['communication:UpdateTemplate'],
    summary: 'Create a message template.',
    description:
      'Variables are the only logic: `{{name}}` is replaced by a value. Each variable must be declared. A template with the name, channel and business unit of another one changes its messages as its translation: that requires communication:UpdateTemplate too. Without it, `translates` is false.',
    example: {
      name: 'Order shipped',
      locale: 'en',
      communication_type: 'EMAIL',
      subject: 'Your order {{order}}',
      text: 'Dear {{name}}, your order {{order}} was shipped.',
      html: '<p>Dear {{name}}, your order <b>{{order}}</b> was shipped.</p>',
      variables: [{ name: 'name' }, { name: 'order' }],
    },
    body: z.strictObject({
      business_unit_id: id.nullable().default(null).describe(unitText),
      communication_type: communicationType,
      name: fields.name,
      locale: fields.locale.default(null),
      subject: fields.subject.default(null),
      text: fields.text,
      html: fields.html.default(null),
      variables: fields.variables.default([]),
    }),
    replies: { 201: template },
    location: `${path}/{id}`,
    problems: ['business_unit_not_found', 'business_unit_deleted', 'too_many_templates'],
    idempotent: true,
  },
  listTemplates: {
    ...tenantRoute('GET', path, 'communication:ReadTemplate'),
    summary: 'List message templates, the built-in ones last.',
    query: pageQuery.extend({
      business_unit_id: id.optional().describe('Only templates that this business unit can use.'),
      communication_type: communicationType.optional().describe('Only templates for this channel.'),
      kind: template.shape.kind.optional().describe('Only templates of this kind.'),
      locale: locale.optional().describe('Only templates with exactly this locale.'),
    }),
    replies: { 200: page(template) },
  },
  readTemplate: {
    ...tenantRoute('GET', onePath, 'communication:ReadTemplate'),
    summary: 'Read a message template.',
    params,
    replies: { 200: template },
    problems: ['template_not_found'],
  },
  updateTemplate: {
    ...tenantRoute('PATCH', onePath, 'communication:UpdateTemplate'),
    summary: 'Change the given fields of a message template, as a new version.',
    description: 'Messages that were requested before keep the text of the earlier version.',
    example: { text: 'Dear {{name}}, your order {{order}} is on its way.' },
    params,
    body: updateBody(z.strictObject(fields).partial()),
    replies: { 200: template },
    problems: ['template_not_found', 'built_in_template'],
  },
  deleteTemplate: {
    ...tenantRoute('DELETE', onePath, 'communication:DeleteTemplate'),
    summary: 'Delete a message template.',
    description: 'Messages that were requested before are still sent.',
    params,
    replies: { 204: null },
    problems: ['template_not_found', 'built_in_template'],
  },
  listTemplateVersions: {
    ...tenantRoute('GET', `${onePath}/versions`, 'communication:ReadTemplate'),
    summary: 'List the last 100 versions of a message template, newest first.',
    params,
    query: positionedPageQuery(50),
    replies: { 200: page(templateVersion) },
    problems: ['template_not_found'],
  },
  previewTemplate: {
    ...tenantRoute('POST', `${onePath}/preview`, 'communication:ReadTemplate'),
    summary: 'Render a message template without sending anything.',
    description: 'A template of the tenant is rendered as it is: none of its translations takes its place.',
    example: { variables: { name: 'Ada', order: '42' } },
    params,
    body: z.strictObject({
      business_unit_id: id.nullable().default(null).describe('Business unit whose branding a built-in template gets.'),
      variables: variableValues.default({}).describe('Values of the variables.'),
      locale: locale.optional().describe('Language of a built-in template. Default: that of the business unit.'),
    }),
    replies: {
      200: z.object({
        subject: z.string().nullable().describe('Rendered subject. Null for SMS.'),
        text: z.string().describe('Rendered text.'),
        html: z.string().nullable().describe('Rendered HTML. Null without an HTML part.'),
      }),
    },
    problems: ['template_not_found', 'business_unit_not_found'],
  },
} as const

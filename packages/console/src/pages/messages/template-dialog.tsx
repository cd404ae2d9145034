import type { Template, TemplateVariable } from '@payments/client/schemas'
import { useEditor } from '../../layout/edit.tsx'
import { LocaleField } from '../../layout/fields.tsx'
import { type Bind, FormDialog } from '../../layout/form.tsx'
import { useUnits } from '../../layout/unit.tsx'
import { channelNames, listPlaceholders } from '../../parts/messages/templates.ts'
import { api } from '../../session/api.ts'
import { foreign, textOrNull } from '../../text/format.ts'
import { Notice } from '../../ui/content.tsx'
import { CheckField, SelectField, TextAreaField, TextField, toOptions } from '../../ui/fields.tsx'

interface TemplateDialogProps {
  /** The template to edit. */
  readonly template?: Template
  readonly onClose: () => void
}

/** The fields of the form. Channel and business unit do not change afterwards. */
interface Values {
  readonly communication_type: Template['communication_type']
  /** Empty for all. */
  readonly business_unit_id: string
  readonly name: string
  readonly locale: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The variables that were stored, or changed here: `variablesIn` has those that the texts use. */
  readonly variables: readonly TemplateVariable[]
}

/** Creates a template, or edits one. Its variables are the names in double braces. */
export function TemplateDialog({ template, onClose }: TemplateDialogProps) {
  const { values, change, bind, isNew, fieldError, notice, form } = useEditor({
    noun: 'template',
    current: template,
    initial: () => toFormValues(template),
    toBody: (filled, opened) => toBody(filled, variablesIn(filled, opened)),
    read: (id) => api.readTemplate({ template_id: id }),
    create: (body, options) => api.createTemplate({ body }, options),
    update: (id, body) => api.updateTemplate({ template_id: id, body }),
    list: '/templates',
    onClose,
  })
  const isEmail = values.communication_type === 'EMAIL'
  const variables = variablesIn(values, template)
  return (
    <FormDialog {...form} submit={isNew ? form.submit : 'Save as a version'}>
      {notice}
      {isNew ? <PlaceFields bind={bind} /> : null}
      <TextField label="Name" isRequired maxLength={100} {...bind('name')} />
      <LocaleField
        label="Language"
        none="any. Templates of one name are translations of each other"
        {...bind('locale')}
      />
      {isEmail ? <TextField label="Subject" isRequired maxLength={200} {...bind('subject')} /> : null}
      <TextAreaField
        label="Text"
        hint="{{name}} is replaced by the value of the variable name. A template of invitations uses {{payment_url}}."
        isRequired
        rows={8}
        {...bind('text')}
      />
      {isEmail ? (
        <TextAreaField
          label="HTML"
          hint="Empty: text only. Scripts, frames and event handlers are rejected."
          rows={8}
          {...bind('html')}
        />
      ) : null}
      <VariableFields
        variables={variables}
        error={fieldError('/variables')}
        onChange={(changed) =>
          change({ variables: variables.map((each) => (each.name === changed.name ? changed : each)) })
        }
      />
    </FormDialog>
  )
}

const toFormValues = (template: Template | undefined): Values => ({
  communication_type: template?.communication_type ?? 'EMAIL',
  business_unit_id: template?.business_unit_id ?? '',
  name: template?.name ?? '',
  locale: template?.locale ?? '',
  subject: template?.subject ?? '',
  text: template?.text ?? '',
  html: template?.html ?? '',
  variables: template?.variables ?? [],
})

/**
 * The variables that the texts use, in the order of the stored ones, which are then as they were. A stored one may have
 * no place in the texts.
 */
function variablesIn(
  { communication_type, subject, text, html, variables: known }: Values,
  template: Template | undefined,
): TemplateVariable[] {
  const names = listPlaceholders(text, ...(communication_type === 'EMAIL' ? [subject, html] : []))
  const before =
    template === undefined ? [] : listPlaceholders(template.text, template.subject ?? '', template.html ?? '')
  const isUnplaced = (name: string) =>
    !before.includes(name) && template?.variables.some((variable) => variable.name === name)
  return [
    ...known.filter(({ name }) => names.includes(name) || isUnplaced(name)),
    ...names
      .filter((name) => !known.some((each) => each.name === name))
      .map((name) => ({ name, required: true, description: '' })),
  ]
}

function toBody(
  { communication_type, business_unit_id, name, locale, ...texts }: Values,
  variables: TemplateVariable[],
) {
  const isEmail = communication_type === 'EMAIL'
  return {
    communication_type,
    business_unit_id: textOrNull(business_unit_id),
    name: name.trim(),
    locale: textOrNull(locale),
    subject: isEmail ? texts.subject.trim() : null,
    text: texts.text,
    html: isEmail && texts.html !== '' ? texts.html : null,
    variables,
  }
}

function PlaceFields({ bind }: { bind: Bind<Values> }) {
  const units = useUnits().map(({ id, name }) => ({ value: id, label: foreign(name) }))
  return (
    <>
      <SelectField label="Channel" options={toOptions(channelNames)} {...bind('communication_type')} />
      <SelectField
        label="Business unit"
        options={[{ value: '', label: 'All business units' }, ...units]}
        {...bind('business_unit_id')}
      />
    </>
  )
}

interface VariableFieldsProps {
  readonly variables: readonly TemplateVariable[]
  readonly error: string | undefined
  readonly onChange: (variable: TemplateVariable) => void
}

/** The variables that the texts use, and whether each message must have their values. */
function VariableFields({ variables, error, onChange }: VariableFieldsProps) {
  if (variables.length === 0) return null
  return (
    <fieldset className="boxes">
      <legend>Variables that each message must have</legend>
      {variables.map((variable) => (
        <CheckField
          key={variable.name}
          isChecked={variable.required === true}
          onChange={(required) => onChange({ ...variable, required })}
        >
          <code>{variable.name}</code>
        </CheckField>
      ))}
      {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
    </fieldset>
  )
}

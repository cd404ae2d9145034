import type { Template, TemplateVariable } from '@payments/client/schemas'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useEdit } from '../../layout/edit.tsx'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { useUnits } from '../../layout/unit.tsx'
import { type Bind, bindTo, useValues } from '../../layout/values.ts'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { SelectField } from '../../ui/fields.tsx'
import { channelOptions } from './channels.ts'
import { listPlaceholders } from './placeholders.ts'
import { TextFields, type Texts } from './text-fields.tsx'
import { VariableFields } from './variable-fields.tsx'

interface TemplateDialogProps {
  /** The template to edit. */
  readonly template?: Template
  readonly onClose: () => void
}

interface Place {
  readonly channel: Template['communication_type']
  /** Empty for all. */
  readonly unitId: string
}

const fields = [
  '/business_unit_id',
  '/communication_type',
  '/name',
  '/locale',
  '/subject',
  '/text',
  '/html',
  '/variables',
]

/** Creates a template, or edits one. Its variables are the names in double braces. */
export function TemplateDialog({ template, onClose }: TemplateDialogProps) {
  const navigate = useNavigate()
  const [place, changePlace] = useValues<Place>({ channel: template?.communication_type ?? 'EMAIL', unitId: '' })
  const [texts, changeTexts] = useValues<Texts>({
    name: template?.name ?? '',
    locale: template?.locale ?? '',
    subject: template?.subject ?? '',
    text: template?.text ?? '',
    html: template?.html ?? '',
  })
  const [known, setKnown] = useState<readonly TemplateVariable[]>(template?.variables ?? [])
  const isEmail = place.channel === 'EMAIL'
  const names = listPlaceholders(texts.text, ...(isEmail ? [texts.subject, texts.html] : []))
  const removed = template === undefined ? [] : placeholdersIn(template).filter((name) => !names.includes(name))
  // In the order of the stored ones, which are then as they were. A stored one may have no place in the texts.
  const variables = [
    ...known.filter(({ name }) => names.includes(name) || (isStored(template, name) && !removed.includes(name))),
    ...names.filter((name) => !known.some((each) => each.name === name)).map(newVariable),
  ]
  const edit = useEdit(template, (id) => api.readTemplate({ template_id: id }))
  const save = useAction({
    call: (_input: undefined, { idempotencyKey }) => {
      const body = buildBody(texts, isEmail, variables)
      if (template !== undefined) {
        return edit.save(body, (changes) => api.updateTemplate({ template_id: template.id, body: changes }))
      }
      const { channel, unitId } = place
      const created = { ...body, communication_type: channel, business_unit_id: unitId === '' ? null : unitId }
      return api.createTemplate({ body: created }, { idempotencyKey })
    },
    onSuccess: ({ id }) => {
      onClose()
      void navigate({ to: '/templates/$templateId', params: { templateId: id } })
    },
    fields,
  })
  const isNew = template === undefined
  return (
    <FormDialog
      title={isNew ? 'Create a template' : 'Edit the template'}
      onClose={onClose}
      action={save}
      submit={isNew ? 'Create template' : 'Save as a version'}
    >
      {edit.notice}
      {isNew ? <PlaceFields bind={bindTo(place, changePlace, save.fieldError)} /> : null}
      <TextFields isEmail={isEmail} bind={bindTo(texts, changeTexts, save.fieldError)} />
      <VariableFields
        variables={variables}
        error={save.fieldError('/variables')}
        onChange={(changed) => setKnown(variables.map((each) => (each.name === changed.name ? changed : each)))}
      />
    </FormDialog>
  )
}

const placeholdersIn = ({ subject, text, html }: Template) => listPlaceholders(text, subject ?? '', html ?? '')

const isStored = (template: Template | undefined, name: string) =>
  template?.variables.some((variable) => variable.name === name) === true

const newVariable = (name: string): TemplateVariable => ({ name, required: true, description: '' })

const buildBody = (texts: Texts, isEmail: boolean, variables: TemplateVariable[]) => ({
  name: texts.name.trim(),
  locale: texts.locale.trim() === '' ? null : texts.locale.trim(),
  subject: isEmail ? texts.subject.trim() : null,
  text: texts.text,
  html: isEmail && texts.html !== '' ? texts.html : null,
  variables,
})

/** The channel and the business unit of a template, which do not change afterwards. */
function PlaceFields({ bind }: { bind: Bind<Place> }) {
  const units = useUnits().map(({ id, name }) => ({ value: id, label: foreign(name) }))
  return (
    <>
      <SelectField label="Channel" options={channelOptions} {...bind('channel', '/communication_type')} />
      <SelectField
        label="Business unit"
        options={[{ value: '', label: 'All business units' }, ...units]}
        {...bind('unitId', '/business_unit_id')}
      />
    </>
  )
}

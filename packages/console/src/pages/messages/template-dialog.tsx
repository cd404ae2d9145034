import type { Template, TemplateVariable } from '@payments/client/schemas'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useEdit } from '../../layout/edit.tsx'
import { Form } from '../../layout/form.tsx'
import { useUnits } from '../../layout/unit.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { channelOptions } from './channels.ts'
import { placeholdersOf } from './placeholders.ts'
import { TextFields, type Texts } from './text-fields.tsx'
import { VariableFields } from './variable-fields.tsx'

interface TemplateDialogProps {
  /** The template to edit. */
  readonly template?: Template
  readonly onClose: () => void
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
  const [channel, setChannel] = useState<Template['communication_type']>(template?.communication_type ?? 'EMAIL')
  const [unitId, setUnitId] = useState('')
  const [texts, setTexts] = useState<Texts>({
    name: template?.name ?? '',
    locale: template?.locale ?? '',
    subject: template?.subject ?? '',
    text: template?.text ?? '',
    html: template?.html ?? '',
  })
  const [known, setKnown] = useState<readonly TemplateVariable[]>(template?.variables ?? [])
  const isEmail = channel === 'EMAIL'
  const names = placeholdersOf(texts.text, ...(isEmail ? [texts.subject, texts.html] : []))
  const removed = template === undefined ? [] : placeholdersIn(template).filter((name) => !names.includes(name))
  // In the order of the stored ones, which are then as they were. A stored one may have no place in the texts.
  const variables = [
    ...known.filter(({ name }) => names.includes(name) || (isStored(template, name) && !removed.includes(name))),
    ...names.filter((name) => !known.some((each) => each.name === name)).map(newVariable),
  ]
  const edit = useEdit(template, (id) => api.readTemplate({ template_id: id }))
  const save = useAction({
    call: (_input: undefined, { idempotencyKey }) => {
      const body = bodyOf(texts, isEmail, variables)
      if (template !== undefined) {
        return edit.save(body, (changes) => api.updateTemplate({ template_id: template.id, body: changes }))
      }
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
    <Dialog title={isNew ? 'Create a template' : 'Edit the template'} onClose={onClose}>
      <Form
        action={save}
        submit={isNew ? 'Create template' : 'Save as a version'}
        onSubmit={() => save.run(undefined)}
        onCancel={onClose}
      >
        {edit.notice}
        {isNew ? (
          <PlaceFields
            channel={channel}
            unitId={unitId}
            failureOf={save.failureOf}
            onChannel={setChannel}
            onUnit={setUnitId}
          />
        ) : null}
        <TextFields
          texts={texts}
          isEmail={isEmail}
          failureOf={save.failureOf}
          onChange={(part) => setTexts((before) => ({ ...before, ...part }))}
        />
        <VariableFields
          variables={variables}
          error={save.failureOf('/variables')}
          onChange={(changed) => setKnown(variables.map((each) => (each.name === changed.name ? changed : each)))}
        />
      </Form>
    </Dialog>
  )
}

const placeholdersIn = ({ subject, text, html }: Template) => placeholdersOf(text, subject ?? '', html ?? '')

const isStored = (template: Template | undefined, name: string) =>
  template?.variables.some((variable) => variable.name === name) === true

const newVariable = (name: string): TemplateVariable => ({ name, required: true, description: '' })

const bodyOf = (texts: Texts, isEmail: boolean, variables: TemplateVariable[]) => ({
  name: texts.name.trim(),
  locale: texts.locale.trim() === '' ? null : texts.locale.trim(),
  subject: isEmail ? texts.subject.trim() : null,
  text: texts.text,
  html: isEmail && texts.html !== '' ? texts.html : null,
  variables,
})

interface PlaceFieldsProps {
  readonly channel: Template['communication_type']
  readonly unitId: string
  readonly failureOf: (pointer: string) => string | undefined
  readonly onChannel: (channel: Template['communication_type']) => void
  readonly onUnit: (unitId: string) => void
}

/** The channel and the business unit of a template, which do not change afterwards. */
function PlaceFields({ channel, unitId, failureOf, onChannel, onUnit }: PlaceFieldsProps) {
  const units = useUnits().data?.data ?? []
  const all = { value: '', label: 'All business units' }
  return (
    <>
      <Field label="Channel" error={failureOf('/communication_type')}>
        {(control) => (
          <Select
            {...control}
            value={channel}
            options={channelOptions}
            onChange={(value) => onChannel(value as typeof channel)}
          />
        )}
      </Field>
      <Field label="Business unit" error={failureOf('/business_unit_id')}>
        {(control) => (
          <Select
            {...control}
            value={unitId}
            options={[all, ...units.map(({ id, name }) => ({ value: id, label: foreign(name) }))]}
            onChange={onUnit}
          />
        )}
      </Field>
    </>
  )
}

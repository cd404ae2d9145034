import type { BusinessUnit } from '@payments/client/schemas'
import { useNavigate } from '@tanstack/react-router'
import { useId } from 'react'
import { useEdit } from '../../layout/edit.tsx'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { LocaleField } from '../../layout/locale-field.tsx'
import { bindTo, useValues } from '../../layout/values.ts'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { TextField } from '../../ui/fields.tsx'

const fields = [
  '/name',
  '/timezone_name',
  '/default_currency',
  '/default_locale',
  '/branding/display_name',
  '/branding/logo_url',
  '/branding/primary_color',
  '/branding/support_email',
  '/communication/from_name',
  '/communication/reply_to',
]

/** Creates a business unit, or edits one. */
export function UnitDialog({ unit, onClose }: { unit?: BusinessUnit; onClose: () => void }) {
  const navigate = useNavigate()
  const [values, change] = useValues(() => toFormValues(unit))
  const edit = useEdit(unit, (id) => api.readBusinessUnit({ business_unit_id: id }))
  const save = useAction({
    call: (_input: undefined, { idempotencyKey }) =>
      unit === undefined
        ? api.createBusinessUnit({ body: buildBody(values) }, { idempotencyKey })
        : edit.save(
            buildBody(values),
            (changes) => api.updateBusinessUnit({ business_unit_id: unit.id, body: changes }),
            ['branding', 'communication'],
          ),
    onSuccess: ({ id }) => {
      onClose()
      void navigate({ to: '/units/$unitId', params: { unitId: id } })
    },
    fields,
  })
  const isNew = unit === undefined
  const bind = bindTo(values, change, save.fieldError)
  return (
    <FormDialog
      title={isNew ? 'Create a business unit' : 'Edit the business unit'}
      onClose={onClose}
      action={save}
      submit={isNew ? 'Create business unit' : 'Save'}
    >
      {edit.notice}
      <TextField label="Name" isRequired maxLength={200} {...bind('name')} />
      <ZoneField {...bind('zone', '/timezone_name')} />
      <TextField
        label="Default currency"
        hint="Of requests that name none, such as EUR. Empty: none."
        maxLength={3}
        {...bind('currency', '/default_currency')}
      />
      <h3>What payers see</h3>
      <LocaleField
        label="Default language"
        none="English, for payers whose language is not known"
        {...bind('locale', '/default_locale')}
      />
      <TextField
        label="Display name"
        hint="Empty: the name of the unit."
        maxLength={100}
        {...bind('display', '/branding/display_name')}
      />
      <TextField label="Logo" hint="An HTTPS URL." type="url" {...bind('logo', '/branding/logo_url')} />
      <TextField
        label="Colour of buttons"
        hint="Such as #1a2b3c."
        maxLength={7}
        {...bind('color', '/branding/primary_color')}
      />
      <TextField label="Support email" type="email" {...bind('support', '/branding/support_email')} />
      <TextField label="Sender of messages" maxLength={100} {...bind('from', '/communication/from_name')} />
      <TextField label="Reply to" type="email" {...bind('reply', '/communication/reply_to')} />
    </FormDialog>
  )
}

type FieldValue = Pick<Parameters<typeof TextField>[0], 'value' | 'onChange' | 'error'>

function ZoneField(field: FieldValue) {
  const zones = useId()
  return (
    <>
      <TextField label="Time zone" isRequired maxLength={64} list={zones} {...field} />
      <datalist id={zones}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  )
}

function toFormValues(unit: BusinessUnit | undefined) {
  return {
    name: unit?.name ?? '',
    zone: unit?.timezone_name ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    currency: unit?.default_currency ?? '',
    locale: unit?.default_locale ?? '',
    display: unit?.branding.display_name ?? '',
    logo: unit?.branding.logo_url ?? '',
    color: unit?.branding.primary_color ?? '',
    support: unit?.branding.support_email ?? '',
    from: unit?.communication.from_name ?? '',
    reply: unit?.communication.reply_to ?? '',
  }
}

type Body = Parameters<typeof api.createBusinessUnit>[0]['body']
type Currency = NonNullable<Body['default_currency']>

function buildBody(values: ReturnType<typeof toFormValues>): Body {
  const given = (value: string) => (value.trim() === '' ? null : value.trim())
  return {
    name: values.name.trim(),
    timezone_name: values.zone.trim(),
    default_currency: given(values.currency.toUpperCase()) as Currency | null,
    default_locale: given(values.locale),
    branding: {
      display_name: given(values.display),
      logo_url: given(values.logo),
      primary_color: given(values.color),
      support_email: given(values.support),
    },
    communication: { from_name: given(values.from), reply_to: given(values.reply) },
  }
}

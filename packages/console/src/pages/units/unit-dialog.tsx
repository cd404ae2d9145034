import type { BusinessUnit } from '@payments/client/schemas'
import { useId } from 'react'
import { useEditor } from '../../layout/edit.tsx'
import { LocaleField } from '../../layout/fields.tsx'
import { FormDialog } from '../../layout/form.tsx'
import { api } from '../../session/api.ts'
import { textOrNull } from '../../text/format.ts'
import { TextField } from '../../ui/fields.tsx'

/** Creates a business unit, or edits one. */
export function UnitDialog({ unit, onClose }: { unit?: BusinessUnit; onClose: () => void }) {
  const { bind, notice, form } = useEditor({
    noun: 'business unit',
    current: unit,
    initial: () => toFormValues(unit),
    toBody,
    read: (id) => api.readBusinessUnit({ business_unit_id: id }),
    create: (body, options) => api.createBusinessUnit({ body }, options),
    update: (id, body) => api.updateBusinessUnit({ business_unit_id: id, body }),
    list: '/units',
    onClose,
  })
  return (
    <FormDialog {...form}>
      {notice}
      <TextField label="Name" isRequired maxLength={200} {...bind('name')} />
      <ZoneField {...bind('timezone_name')} />
      <TextField
        label="Default currency"
        hint="Of requests that name none, such as EUR. Empty: none."
        maxLength={3}
        {...bind('default_currency')}
      />
      <h3>What payers see</h3>
      <LocaleField
        label="Default language"
        none="English, for payers whose language is not known"
        {...bind('default_locale')}
      />
      <TextField
        label="Display name"
        hint="Empty: the name of the unit."
        maxLength={100}
        {...bind('branding/display_name')}
      />
      <TextField label="Logo" hint="An HTTPS URL." type="url" {...bind('branding/logo_url')} />
      <TextField label="Colour of buttons" hint="Such as #1a2b3c." maxLength={7} {...bind('branding/primary_color')} />
      <TextField label="Support email" type="email" {...bind('branding/support_email')} />
      <TextField label="Sender of messages" maxLength={100} {...bind('communication/from_name')} />
      <TextField label="Reply to" type="email" {...bind('communication/reply_to')} />
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
    timezone_name: unit?.timezone_name ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    default_currency: unit?.default_currency ?? '',
    default_locale: unit?.default_locale ?? '',
    'branding/display_name': unit?.branding.display_name ?? '',
    'branding/logo_url': unit?.branding.logo_url ?? '',
    'branding/primary_color': unit?.branding.primary_color ?? '',
    'branding/support_email': unit?.branding.support_email ?? '',
    'communication/from_name': unit?.communication.from_name ?? '',
    'communication/reply_to': unit?.communication.reply_to ?? '',
  }
}

type Body = Parameters<typeof api.createBusinessUnit>[0]['body']

const toBody = (values: ReturnType<typeof toFormValues>): Body => ({
  name: values.name.trim(),
  timezone_name: values.timezone_name.trim(),
  default_currency: textOrNull(values.default_currency.toUpperCase()) as Exclude<Body['default_currency'], undefined>,
  default_locale: textOrNull(values.default_locale),
  branding: {
    display_name: textOrNull(values['branding/display_name']),
    logo_url: textOrNull(values['branding/logo_url']),
    primary_color: textOrNull(values['branding/primary_color']),
    support_email: textOrNull(values['branding/support_email']),
  },
  communication: {
    from_name: textOrNull(values['communication/from_name']),
    reply_to: textOrNull(values['communication/reply_to']),
  },
})

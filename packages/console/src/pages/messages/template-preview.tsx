import type { Template } from '@payments/client/schemas'
import { useState } from 'react'
import { LocaleField } from '../../layout/locale-field.tsx'
import { RenderedMessage } from '../../parts/messages/rendered-message.tsx'
import { foreign, ownValue } from '../../text/format.ts'
import { firstWithTexts } from '../../text/message-locale.ts'
import { localeIn, messageFormats, messageInstant, messageMoney } from '../../text/money.ts'
import { TextField } from '../../ui/fields.tsx'
import styles from './preview.module.css'

const sampleAt = new Date('2026-12-24T16:30:00Z')

/** Values as the platform writes them for readers of a locale. */
function samplesIn(locale: string): Readonly<Record<string, string>> {
  const amount = messageMoney(1999, 'EUR', locale)
  const day = new Intl.DateTimeFormat(messageFormats(locale), { dateStyle: 'long', timeZone: 'UTC' }).format(sampleAt)
  const instant = messageInstant(sampleAt, locale, 'UTC')
  return {
    amount,
    payment_url: 'https://pay.example.com/pay/example',
    payer_name: 'Ada',
    description: 'Coffee beans',
    expires_on: day,
    expires_at: instant,
    paid_on: day,
    paid_at: instant,
    brand: 'Visa',
    last4: '4242',
    items: `2 × Coffee beans: ${amount}`,
    reference: 'order-42',
  }
}

/** A message of the template with values that a person types. */
export function TemplatePreview({ template }: { template: Template }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [locale, setLocale] = useState('')
  // Also while a locale is being typed.
  const samples = samplesIn(template.kind === 'built_in' ? firstWithTexts(localeIn(locale)) : (template.locale ?? 'en'))
  const used = Object.fromEntries(
    template.variables.map(({ name }) => [name, ownValue(values, name) ?? ownValue(samples, name) ?? `[${name}]`]),
  )
  return (
    <div className={styles.columns}>
      <div className="stack">
        {template.variables.length === 0 ? <p className="muted">The template has no variables.</p> : null}
        {template.kind === 'built_in' ? (
          <LocaleField label="Language" none="English" value={locale} onChange={setLocale} error={undefined} />
        ) : null}
        {template.variables.map(({ name, description }) => (
          <TextField
            key={name}
            label={name}
            hint={description === '' ? undefined : foreign(description)}
            maxLength={1_000}
            value={ownValue(used, name) ?? ''}
            onChange={(text) => setValues((before) => ({ ...before, [name]: text }))}
          />
        ))}
      </div>
      <RenderedMessage template={template} unitId={template.business_unit_id} values={used} locale={locale} />
    </div>
  )
}

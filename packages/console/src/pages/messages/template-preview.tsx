import type { Template } from '@payments/client/schemas'
import { useState } from 'react'
import { LocaleField } from '../../layout/locale-field.tsx'
import { foreign } from '../../text/foreign.ts'
import { Field } from '../../ui/field.tsx'
import styles from './preview.module.css'
import { RenderedMessage } from './rendered-message.tsx'

const samples: Readonly<Record<string, string>> = {
  amount: '19.99 EUR',
  payment_url: 'https://pay.example.com/pay/example',
  payer_name: 'Ada',
  description: 'Coffee beans',
  expires_on: '24 December 2026',
  paid_on: '24 December 2026',
  paid_at: '24 December 2026 at 17:30 CET',
  brand: 'Visa',
  last4: '4242',
  items: '2 × Coffee beans: 19.99 EUR',
  reference: 'order-42',
}

/** A message of the template with values that a person types. */
export function TemplatePreview({ template }: { template: Template }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [locale, setLocale] = useState('')
  const used = Object.fromEntries(
    template.variables.map(({ name }) => [name, values[name] ?? samples[name] ?? `[${name}]`]),
  )
  return (
    <div className={styles.columns}>
      <div className="stack">
        {template.variables.length === 0 ? <p className="muted">The template has no variables.</p> : null}
        {template.kind === 'built_in' ? (
          <LocaleField label="Language" none="English" value={locale} onChange={setLocale} error={undefined} />
        ) : null}
        {template.variables.map(({ name, description }) => (
          <Field key={name} label={name} hint={description === '' ? undefined : foreign(description)}>
            {(control) => (
              <input
                {...control}
                maxLength={1_000}
                value={used[name] ?? ''}
                onChange={({ target }) => setValues((before) => ({ ...before, [name]: target.value }))}
              />
            )}
          </Field>
        ))}
      </div>
      <RenderedMessage template={template} unitId={template.business_unit_id} values={used} locale={locale} />
    </div>
  )
}

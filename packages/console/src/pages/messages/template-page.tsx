import type { Template } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Actions, offerDialog, useDeletion } from '../../layout/actions.tsx'
import { LocaleField } from '../../layout/fields.tsx'
import { ResourcePage } from '../../layout/resource-page.tsx'
import { UnitName } from '../../layout/unit.tsx'
import { RenderedMessage } from '../../parts/messages/rendered-message.tsx'
import { channelNames, languageName } from '../../parts/messages/templates.ts'
import { api } from '../../session/api.ts'
import { usePermitted } from '../../session/self.ts'
import { foreign, ownValue } from '../../text/format.ts'
import { firstWithTexts } from '../../text/message-locale.ts'
import { localeIn, messageFormats, messageInstant, messageMoney } from '../../text/money.ts'
import { CopyField, Facts, Section, Source, Time } from '../../ui/content.tsx'
import { TextField } from '../../ui/fields.tsx'
import styles from './template.module.css'
import { TemplateDialog } from './template-dialog.tsx'
import { TemplateVersions } from './template-versions.tsx'

/** One template: its text, a preview, and its versions. */
export function TemplatePage() {
  return (
    <ResourcePage
      noun="Template"
      topic="templates"
      operation="readTemplate"
      title={({ name }) => foreign(name)}
      actions={(template) => <TemplateActions template={template} />}
    >
      {(template) => (
        <>
          <TemplateDetails template={template} />
          <TemplateSource template={template} />
          <Section title="Preview">
            <TemplatePreview template={template} />
          </Section>
          {template.kind === 'custom' ? (
            <Section title="Versions">
              <TemplateVersions template={template} />
            </Section>
          ) : null}
        </>
      )}
    </ResourcePage>
  )
}

function TemplateDetails({ template }: { template: Template }) {
  const maySeeMessages = usePermitted('listCommunications')
  const { id, version } = template
  const isOwn = template.kind === 'custom'
  const limit = isOwn && !template.translates ? ' (sent only where it is named, until it is edited)' : ''
  return (
    <section className="card stack" aria-label="Details">
      <Facts
        facts={{
          Kind: isOwn ? 'custom' : 'built-in, the same for every tenant',
          Channel: channelNames[template.communication_type],
          Language: `${languageName(template)}${limit}`,
          'Business unit': <UnitName unitId={template.business_unit_id} />,
          Version: isOwn ? (
            <>
              {version}, <Time at={template.updated_at} />
            </>
          ) : (
            version
          ),
          Id: <CopyField label="the id" value={id} />,
        }}
      />
      {maySeeMessages ? (
        <Link to="/messages" search={{ template_id: id }}>
          Messages of this template
        </Link>
      ) : null}
    </section>
  )
}

function TemplateSource({ template: { subject, text, html } }: { template: Template }) {
  return (
    <Section title="Source">
      {subject === null ? null : (
        <>
          <h3>Subject</h3>
          <Source label="Subject of the template" text={subject} />
          <h3>Text</h3>
        </>
      )}
      <Source label="Text of the template" text={text} />
      {html === null ? null : (
        <details>
          <summary>HTML</summary>
          <Source label="HTML of the template" text={html} />
        </details>
      )}
    </Section>
  )
}

function TemplateActions({ template }: { template: Template }) {
  const deletion = useDeletion({
    operation: 'deleteTemplate',
    noun: 'template',
    name: template.name,
    call: () => api.deleteTemplate({ template_id: template.id }),
    to: '/templates',
    effect:
      'Messages that were requested before are still sent. An invitation that uses the template cannot be sent again.',
  })
  if (template.kind !== 'custom') return null
  return (
    <Actions
      actions={[
        offerDialog('updateTemplate', 'Edit', (close) => <TemplateDialog template={template} onClose={close} />, {
          kind: 'primary',
        }),
        deletion,
      ]}
    />
  )
}

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
function TemplatePreview({ template }: { template: Template }) {
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

import type { Template } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import { Actions, useDeletion } from '../../layout/actions.tsx'
import { ResourcePage } from '../../layout/resource-page.tsx'
import { UnitName } from '../../layout/unit.tsx'
import { channelNames, languageName } from '../../parts/messages/templates.ts'
import { api } from '../../session/api.ts'
import { usePermitted } from '../../session/self.ts'
import { foreign } from '../../text/format.ts'
import { Facts, Section } from '../../ui/section.tsx'
import { CopyField, Source, Time } from '../../ui/values.tsx'
import { TemplateDialog } from './template-dialog.tsx'
import { TemplatePreview } from './template-preview.tsx'
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
        {
          operation: 'updateTemplate',
          label: 'Edit',
          kind: 'primary',
          dialog: (close) => <TemplateDialog template={template} onClose={close} />,
        },
        deletion,
      ]}
    />
  )
}

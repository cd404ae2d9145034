import type { Template } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Confirm } from '../../layout/confirm.tsx'
import { Loaded } from '../../layout/loaded.tsx'
import { Page } from '../../layout/page.tsx'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { useDenial, usePermitted } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { Source } from '../../ui/source.tsx'
import { Time } from '../../ui/time.tsx'
import { channelNames } from './channels.ts'
import { TemplateDialog } from './template-dialog.tsx'
import { TemplatePreview } from './template-preview.tsx'
import { TemplateVersions } from './template-versions.tsx'
import { languageNameOf } from './templates.ts'
import { UnitName } from './unit-name.tsx'

/** One template: its text, a preview, and its versions. */
export function TemplatePage() {
  const templateId = String(useParams({ strict: false }).templateId)
  const query = useQuery({
    queryKey: ['templates', templateId],
    queryFn: ({ signal }) => api.readTemplate({ template_id: templateId }, { signal }),
    enabled: usePermitted('readTemplate'),
  })
  const { data } = query
  return (
    <Page
      title={data === undefined ? 'Template' : foreign(data.name)}
      operation="readTemplate"
      args={{ template_id: templateId }}
      actions={data?.kind === 'custom' ? <TemplateActions template={data} /> : null}
    >
      {() => <Loaded query={query}>{(data) => <Details template={data} />}</Loaded>}
    </Page>
  )
}

function Details({ template }: { template: Template }) {
  const maySeeMessages = useDenial()('listCommunications') === undefined
  const isOwn = template.kind === 'custom'
  return (
    <>
      <section className="card stack" aria-label="Details">
        <dl className="facts">
          <dt>Kind</dt>
          <dd>{isOwn ? 'custom' : 'built-in, the same for every tenant'}</dd>
          <dt>Channel</dt>
          <dd>{channelNames[template.communication_type]}</dd>
          <dt>Language</dt>
          <dd>
            {languageNameOf(template)}
            {isOwn && !template.translates ? ' (sent only where it is named, until it is edited)' : ''}
          </dd>
          <dt>Business unit</dt>
          <dd>
            <UnitName unitId={template.business_unit_id} />
          </dd>
          <dt>Version</dt>
          <dd>
            {template.version}
            {isOwn ? (
              <>
                , <Time at={template.updated_at} />
              </>
            ) : null}
          </dd>
          <dt>Id</dt>
          <dd>
            <CopyField label="the id" value={template.id} />
          </dd>
        </dl>
        {maySeeMessages ? (
          <Link to="/messages" search={{ template_id: template.id }}>
            Messages of this template
          </Link>
        ) : null}
      </section>
      <section className="stack" aria-labelledby="source">
        <h2 id="source">Source</h2>
        {template.subject === null ? null : (
          <>
            <h3>Subject</h3>
            <Source label="Subject of the template" text={template.subject} />
            <h3>Text</h3>
          </>
        )}
        <Source label="Text of the template" text={template.text} />
        {template.html === null ? null : (
          <details>
            <summary>HTML</summary>
            <Source label="HTML of the template" text={template.html} />
          </details>
        )}
      </section>
      <section className="stack" aria-labelledby="preview">
        <h2 id="preview">Preview</h2>
        <TemplatePreview template={template} />
      </section>
      {isOwn ? (
        <section className="stack" aria-labelledby="versions">
          <h2 id="versions">Versions</h2>
          <TemplateVersions template={template} />
        </section>
      ) : null}
    </>
  )
}

function TemplateActions({ template }: { template: Template }) {
  const [open, setOpen] = useState<'edit' | 'delete'>()
  const navigate = useNavigate()
  const close = () => setOpen(undefined)
  return (
    <>
      <ActionButton operation="updateTemplate" kind="primary" onClick={() => setOpen('edit')}>
        Edit
      </ActionButton>
      <ActionButton operation="deleteTemplate" kind="danger" onClick={() => setOpen('delete')}>
        Delete
      </ActionButton>
      {open === 'edit' ? <TemplateDialog template={template} onClose={close} /> : null}
      {open === 'delete' ? (
        <Confirm
          title="Delete this template?"
          submit="Delete"
          typed={template.name}
          call={() => api.deleteTemplate({ template_id: template.id })}
          onDone={() => void navigate({ to: '/templates' })}
          onClose={close}
        >
          Messages that were requested before are still sent. An invitation that uses the template cannot be sent again.
        </Confirm>
      ) : null}
    </>
  )
}

import type { BusinessUnit, CodeWithLink } from '@payments/client/schemas'
import { useState } from 'react'
import { Page } from '../../layout/page.tsx'
import { WithUnit } from '../../layout/unit.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { useDenial } from '../../session/self.ts'
import { Notice } from '../../ui/notice.tsx'
import { RenderedMessage } from '../messages/rendered-message.tsx'
import { templateOfInvitation, useTemplates } from '../messages/templates.ts'
import { bodyOf, type Draft, emptyDraft, sampleValues } from './draft.ts'
import styles from './invite.module.css'
import { InviteForm } from './invite-form.tsx'
import { Invited } from './invited.tsx'
import { messageFields } from './message-fields.tsx'

/** Invites a payer: the form, and beside it the message as the payer will read it. */
export function InvitePage() {
  return (
    <Page
      title="Invite to pay"
      about="Creates a payment, and sends the payer a link to its page."
      operation="createCode"
    >
      {() => <WithUnit>{(unit) => <Invite unit={unit} />}</WithUnit>}
    </Page>
  )
}

const fields = [
  ...messageFields,
  '/transaction/amount',
  '/transaction/currency',
  '/transaction/external_reference',
  '/expires_at',
  '/reminder_at',
  '/return_url',
]

function Invite({ unit }: { unit: BusinessUnit }) {
  const denialOf = useDenial()
  const denial = denialOf('createTransaction')
  const mayCapture = denialOf('captureTransaction') === undefined
  const [draft, setDraft] = useState(() => emptyDraft(unit, mayCapture))
  const [created, setCreated] = useState<CodeWithLink>()
  const templates = useTemplates(unit.id, draft.channel)
  const invite = useAction({
    call: (body: NonNullable<ReturnType<typeof bodyOf>>, { idempotencyKey }) =>
      api.createCode({ body }, { idempotencyKey }),
    onSuccess: setCreated,
    fields,
  })
  if (denial !== undefined) return <Notice tone="warning">An invitation creates a payment, which {denial}.</Notice>
  if (created !== undefined) {
    const again = () => {
      setCreated(undefined)
      setDraft(emptyDraft(unit, mayCapture))
    }
    return <Invited code={created} onAgain={again} />
  }
  const template = templateOfInvitation(templates, draft.templateId === '' ? null : draft.templateId)
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const send = () => {
    const body = bodyOf(draft, unit, new Date())
    if (body !== undefined) invite.run(body)
  }
  return (
    <div className={styles.columns}>
      <InviteForm
        draft={draft}
        templates={templates}
        mayCapture={mayCapture}
        action={invite}
        onChange={change}
        onSubmit={send}
      />
      <aside className="card stack" aria-labelledby="preview">
        <h2 id="preview">The message</h2>
        {template === undefined ? (
          <p className="muted">The preview {denialOf('listTemplates') ?? 'appears in a moment'}.</p>
        ) : (
          <RenderedMessage template={template} unitId={unit.id} values={sampleValues(draft, unit, new Date())} />
        )}
      </aside>
    </div>
  )
}

import type { Communication } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import { ResourcePage } from '../../layout/resource-page.tsx'
import { TemplateLink } from '../../parts/links.tsx'
import { channelNames, useTemplateName } from '../../parts/messages/templates.ts'
import { MessageState } from '../../parts/states.tsx'
import { useSelf } from '../../session/self.ts'
import { foreign } from '../../text/format.ts'
import { CopyField, Details, Time } from '../../ui/content.tsx'

/** One message, as it is now, until it ends. */
export function MessagePage() {
  const { environment } = useSelf()
  return (
    <ResourcePage
      noun="Message"
      topic="communications"
      operation="readCommunication"
      title={({ recipient }) => foreign(recipient)}
      isChanging={({ status }) => status === 'queued'}
    >
      {(message) => (
        <>
          <MessageDetails message={message} />
          {environment === 'dev' && message.provider === 'outbox' ? (
            <p>
              <Link to="/outbox" search={{ recipient: message.recipient }}>
                Read it in the outbox
              </Link>
            </p>
          ) : (
            <p className="muted">The text of a message is deleted when the message ends.</p>
          )}
        </>
      )}
    </ResourcePage>
  )
}

function MessageDetails({ message }: { message: Communication }) {
  const { id, status, error, provider, provider_message_id: providerId } = message
  return (
    <Details
      facts={{
        Status: (
          <span className="row" aria-live="polite">
            <MessageState status={status} />
            {error === null ? null : <span>{foreign(error.detail)}</span>}
          </span>
        ),
        Channel: channelNames[message.communication_type],
        Requested: <Time at={message.created_at} />,
        Accepted: <Time at={message.sent_at} fallback={status === 'queued' ? 'not yet' : 'never'} />,
        Template: <TemplateName templateId={message.template_id} />,
        Provider: (
          <>
            {provider}
            {providerId === null || providerId === id ? null : <code> {foreign(providerId)}</code>}
          </>
        ),
        Id: <CopyField label="the id" value={id} />,
      }}
    />
  )
}

function TemplateName({ templateId }: { templateId: string | null }) {
  const templateName = useTemplateName()
  if (templateId === null) return 'none: the request had the text'
  return <TemplateLink id={templateId}>{foreign(templateName(templateId) ?? templateId)}</TemplateLink>
}

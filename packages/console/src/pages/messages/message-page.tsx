import type { Communication } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Loaded } from '../../layout/loaded.tsx'
import { Page } from '../../layout/page.tsx'
import { api } from '../../session/api.ts'
import { useDenial, usePermitted, useSelf } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { Time } from '../../ui/time.tsx'
import { channelNames } from './channels.ts'
import { MessageState } from './message-state.tsx'

const pollMs = 5_000

/** One message, as it is now: until it ends, the page reads it again every five seconds. */
export function MessagePage() {
  const communicationId = String(useParams({ strict: false }).communicationId)
  const query = useQuery({
    queryKey: ['communications', communicationId],
    queryFn: ({ signal }) => api.readCommunication({ communication_id: communicationId }, { signal }),
    enabled: usePermitted('readCommunication'),
    refetchInterval: ({ state }) => (state.data?.status === 'queued' ? pollMs : false),
  })
  const { data } = query
  return (
    <Page
      title={data === undefined ? 'Message' : foreign(data.recipient)}
      operation="readCommunication"
      args={{ communication_id: communicationId }}
    >
      {() => <Loaded query={query}>{(data) => <Details message={data} />}</Loaded>}
    </Page>
  )
}

function Details({ message }: { message: Communication }) {
  const { environment } = useSelf()
  const providerId = message.provider_message_id
  return (
    <>
      <section className="card" aria-label="Details">
        <dl className="facts">
          <dt>Status</dt>
          <dd className="row" aria-live="polite">
            <MessageState status={message.status} />
            {message.error === null ? null : <span>{foreign(message.error.detail)}</span>}
          </dd>
          <dt>Channel</dt>
          <dd>{channelNames[message.communication_type]}</dd>
          <dt>Requested</dt>
          <dd>
            <Time at={message.created_at} />
          </dd>
          <dt>Accepted</dt>
          <dd>
            <Time at={message.sent_at} fallback={message.status === 'queued' ? 'not yet' : 'never'} />
          </dd>
          <dt>Template</dt>
          <dd>
            <TemplateName templateId={message.template_id} />
          </dd>
          <dt>Provider</dt>
          <dd>
            {message.provider}
            {providerId === null || providerId === message.id ? null : <code> {foreign(providerId)}</code>}
          </dd>
          <dt>Id</dt>
          <dd>
            <CopyField label="the id" value={message.id} />
          </dd>
        </dl>
      </section>
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
  )
}

function TemplateName({ templateId }: { templateId: string | null }) {
  const isPermitted = useDenial()('readTemplate') === undefined
  const { data } = useQuery({
    queryKey: ['templates', templateId],
    queryFn: ({ signal }) => api.readTemplate({ template_id: String(templateId) }, { signal }),
    enabled: isPermitted && templateId !== null,
    staleTime: 30_000,
  })
  if (templateId === null) return 'none: the request had the text'
  return (
    <Link to="/templates/$templateId" params={{ templateId }}>
      {data === undefined ? templateId : foreign(data.name)}
    </Link>
  )
}

import type { DeliveryAttempt, DeliveryWithAttempts } from '@payments/client/schemas'
import { foreign } from '../../text/format.ts'
import { Section } from '../../ui/section.tsx'
import { Badge, ExactTime } from '../../ui/values.tsx'
import { describeCause } from '../causes.ts'
import { Body, HeaderList, HiddenPayload } from './http-text.tsx'

type AttemptListProps = Pick<DeliveryWithAttempts, 'attempts' | 'request' | 'missing_permission'>

/** The attempts of a delivery, newest first, and its request. */
export function AttemptList({ attempts, request, missing_permission: missing }: AttemptListProps) {
  return (
    <>
      <HiddenPayload missing={missing} />
      <Section title="Attempts">
        {attempts.length === 0 ? <p className="muted">No attempt has ended yet.</p> : null}
        {attempts.toReversed().map((attempt) => (
          <Attempt key={attempt.number} attempt={attempt} />
        ))}
      </Section>
      {request === null ? null : (
        <Section title="Request">
          <HeaderList headers={request.headers} />
          {request.body === null ? null : <Body text={request.body} label="Body of the request" />}
        </Section>
      )}
    </>
  )
}

function Attempt({ attempt }: { attempt: DeliveryAttempt }) {
  const { number, status_code: code, error_kind: kind, error_detail: detail, response_body: body } = attempt
  const isGood = kind === null
  return (
    <article className="card stack" aria-label={`Attempt ${number}`}>
      <div className="row">
        <strong>Attempt {number}</strong>
        <Badge tone={isGood ? 'good' : 'bad'}>{isGood ? code : describeCause(kind, code)}</Badge>
        <small>
          <ExactTime at={attempt.started_at} />, {attempt.duration_ms} ms
        </small>
      </div>
      <SentTo attempt={attempt} />
      {detail === null || detail === `responded with ${code}` ? null : <p>{foreign(detail)}</p>}
      {attempt.response_headers === null ? null : <HeaderList headers={attempt.response_headers} />}
      {body === null || body === '' ? null : <Body text={body} label={`Response of attempt ${number}`} />}
      {attempt.response_truncated ? <small>The response was longer.</small> : null}
    </article>
  )
}

/** Where the attempt was sent: the subscription may have another URL and label today. */
function SentTo({ attempt: { destination_url: url, label } }: { attempt: DeliveryAttempt }) {
  if (url === null) return null
  return (
    <small>
      Sent to <code>{foreign(url)}</code>
      {label === null ? null : <>, labeled {foreign(label)}</>}
    </small>
  )
}

import type { DeliveryAttempt, DeliveryWithAttempts } from '@payments/client/schemas'
import { foreign } from '../../text/format.ts'
import { Badge, ExactTime, Notice, Section, Source } from '../../ui/content.tsx'
import { describeCause } from '../causes.ts'
import styles from './attempts.module.css'

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

function HeaderList({ headers }: { headers: Readonly<Record<string, unknown>> }) {
  return (
    <dl className={styles.headers}>
      {Object.entries(headers).map(([name, value]) => (
        <div key={name}>
          <dt>{foreign(name)}</dt>
          <dd>{foreign(String(value))}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The body of a request or a response. */
export const Body = ({ text, label }: { text: string; label: string }) => <Source label={label} text={indent(text)} />

/** JSON with line breaks, where it stays the same document: a large number would become another one. */
function indent(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text
  } catch {
    return text
  }
}

/** Says which permission the person lacks to see a payload; nothing when it is shown. */
export function HiddenPayload({ missing }: { missing: string | null }) {
  if (missing === null) return null
  return (
    <Notice tone="info">
      The payload and the bodies of responses are hidden: your roles lack the permission <code>{foreign(missing)}</code>
      .
    </Notice>
  )
}

import type { DeliveryAttempt, DeliveryWithAttempts } from '@payments/client/schemas'
import { foreign } from '../../text/foreign.ts'
import { causeOf } from './causes.ts'
import { ExactTime } from './exact-time.tsx'
import { Body, HeaderList } from './http-text.tsx'

/** The attempts of a delivery, newest first, and its request. */
export function AttemptList({ attempts, request }: Pick<DeliveryWithAttempts, 'attempts' | 'request'>) {
  return (
    <>
      <section className="stack" aria-labelledby="attempts">
        <h2 id="attempts">Attempts</h2>
        {attempts.length === 0 ? <p className="muted">No attempt has ended yet.</p> : null}
        {attempts.toReversed().map((attempt) => (
          <Attempt key={attempt.number} attempt={attempt} />
        ))}
      </section>
      {request === null ? null : (
        <section className="stack" aria-labelledby="request">
          <h2 id="request">Request</h2>
          <HeaderList headers={request.headers} />
          <Body text={request.body} label="Body of the request" />
        </section>
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
        <span className="badge" data-tone={isGood ? 'good' : 'bad'}>
          {isGood ? code : causeOf(kind, code)}
        </span>
        <small>
          <ExactTime at={attempt.started_at} />, {attempt.duration_ms} ms
        </small>
      </div>
      {detail === null || detail === `responded with ${code}` ? null : <p>{foreign(detail)}</p>}
      {attempt.response_headers === null ? null : <HeaderList headers={attempt.response_headers} />}
      {body === null || body === '' ? null : <Body text={body} label={`Response of attempt ${number}`} />}
      {attempt.response_truncated ? <small>The response was longer.</small> : null}
    </article>
  )
}

import type { Operation, Transaction } from '@payments/client/schemas'
import { useState } from 'react'
import { KeyLink, UserLink } from '../../parts/links.tsx'
import { OperationState } from '../../parts/states.tsx'
import { ActionButton } from '../../session/action-button.tsx'
import { foreign } from '../../text/format.ts'
import { Section } from '../../ui/section.tsx'
import { Money, Time } from '../../ui/values.tsx'
import { ResolveDialog } from './resolve-dialog.tsx'

/** The operations of a transaction at its payment provider, newest first. */
export function Operations({ transaction }: { transaction: Transaction }) {
  const { operations, currency, id } = transaction
  return (
    <Section title="Operations">
      {operations.length === 0 ? <p className="muted">Nothing was sent to the payment provider yet.</p> : null}
      {operations.toReversed().map((operation) => (
        <OperationCard key={operation.id} operation={operation} currency={currency} transactionId={id} />
      ))}
    </Section>
  )
}

interface OperationCardProps {
  readonly operation: Operation
  readonly currency: string
  readonly transactionId: string
}

function OperationCard({ operation, currency, transactionId }: OperationCardProps) {
  const [isResolving, setResolving] = useState(false)
  return (
    <article id={`operation-${operation.id}`} className="card stack" aria-label={`${operation.type} ${operation.id}`}>
      <div className="row">
        <strong>{operation.type}</strong>
        <Money amount={operation.amount} currency={currency} />
        <OperationState state={operation.state} />
        <small>
          <Time at={operation.created_at} />
          <Actor actor={operation.actor} />
          {operation.attempt_count > 1 ? `, ${operation.attempt_count} attempts` : ''}
        </small>
      </div>
      <Explanation operation={operation} />
      {operation.state === 'needs_review' ? (
        <div>
          <ActionButton operation="resolveOperation" kind="primary" onClick={() => setResolving(true)}>
            Set the outcome
          </ActionButton>
        </div>
      ) : null}
      {isResolving ? (
        <ResolveDialog transactionId={transactionId} operation={operation} onClose={() => setResolving(false)} />
      ) : null}
    </article>
  )
}

const actorTexts = { api_key: 'by an API key', user: 'by a person', payer: 'by the payer', platform: 'by the platform' }

/** The cause of an operation, with the way to the key or the person. */
function Actor({ actor }: { actor: Operation['actor'] }) {
  if (actor === null) return null
  const { type, id } = actor
  const text = actorTexts[type]
  if (type === 'api_key' && id !== null) {
    return (
      <>
        {' '}
        <KeyLink id={id}>{text}</KeyLink>
      </>
    )
  }
  if (type === 'user' && id !== null) {
    return (
      <>
        {' '}
        <UserLink id={id}>{text}</UserLink>
      </>
    )
  }
  return ` ${text}`
}

const openTexts: Readonly<Record<string, string>> = {
  in_progress: 'The payment provider is being called.',
  action_required: 'The payer has to confirm the payment at their bank, within 30 minutes.',
  pending: 'The payment provider decides later.',
  unknown:
    'The payment provider gave no response, or one that contradicts the request. The platform reads the outcome again.',
  needs_review:
    'The payment provider has not reported the outcome for 24 hours. Look it up at the payment provider, and set it here.',
  not_attempted: 'Nothing reached the payment provider.',
  reversed: 'The refund had succeeded, and the payment provider failed it later.',
}

function Explanation({ operation }: { operation: Operation }) {
  const {
    error,
    authentication,
    resolution,
    reason,
    provider_reference: reference,
    open_reason: openReason,
  } = operation
  return (
    <>
      {openTexts[operation.state] === undefined ? null : <p>{openTexts[operation.state]}</p>}
      {openReason === null || operation.state === 'action_required' ? null : (
        <p>Last attempt: {foreign(openReason)}.</p>
      )}
      {authentication === null ? null : (
        <p>
          Authentication of the payer: {authentication.result}
          {authentication.eci === null ? '' : `, ECI ${foreign(authentication.eci)}`}
        </p>
      )}
      {error === null ? null : (
        <p>
          <code>{foreign(error.decline_code ?? error.code)}</code>
          {error.retryable ? ' The same payment method may succeed later.' : ''}
        </p>
      )}
      {reason === null ? null : <p>Reason: {foreign(reason)}</p>}
      {resolution === null ? null : (
        <p>
          Set to {resolution.outcome.replaceAll('_', ' ')} by <code>{foreign(resolution.resolved_by)}</code>:{' '}
          {foreign(resolution.note)}
        </p>
      )}
      {reference === null ? null : (
        <small>
          At the provider: <code>{foreign(reference)}</code>
        </small>
      )}
    </>
  )
}

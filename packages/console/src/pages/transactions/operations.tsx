import type { Operation, Transaction } from '@payments/client/schemas'
import { useState } from 'react'
import { ActionButton } from '../../layout/actions.tsx'
import { FormDialog, useForm } from '../../layout/form.tsx'
import { KeyLink, UserLink } from '../../parts/links.tsx'
import { OperationState } from '../../parts/states.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/format.ts'
import { Money, Section, Time } from '../../ui/content.tsx'
import { optionsAfter, SelectField, TextAreaField } from '../../ui/fields.tsx'

/** The operations of a transaction at its payment provider, newest first. */
export function Operations({ transaction }: { transaction: Transaction }) {
  const { operations } = transaction
  return (
    <Section title="Operations">
      {operations.length === 0 ? <p className="muted">Nothing was sent to the payment provider yet.</p> : null}
      {operations.toReversed().map((operation) => (
        <OperationCard key={operation.id} operation={operation} transaction={transaction} />
      ))}
    </Section>
  )
}

interface OperationProps {
  readonly operation: Operation
  readonly transaction: Transaction
}

function OperationCard({ operation, transaction }: OperationProps) {
  const [isResolving, setResolving] = useState(false)
  return (
    <article id={`operation-${operation.id}`} className="card stack" aria-label={`${operation.type} ${operation.id}`}>
      <div className="row">
        <strong>{operation.type}</strong>
        <Money amount={operation.amount} currency={transaction.currency} />
        <OperationState status={operation.state} />
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
        <ResolveDialog operation={operation} transaction={transaction} onClose={() => setResolving(false)} />
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
  const ActorLink = { api_key: KeyLink, user: UserLink, payer: undefined, platform: undefined }[type]
  if (ActorLink === undefined || id === null) return ` ${text}`
  return (
    <>
      {' '}
      <ActorLink id={id}>{text}</ActorLink>
    </>
  )
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

type Outcome = 'succeeded' | 'declined' | 'not_attempted'

/** Sets the outcome of an operation in review. */
function ResolveDialog({ operation, transaction, onClose }: OperationProps & { readonly onClose: () => void }) {
  const { values, bind, action } = useForm({
    initial: { outcome: '' as Outcome | '', note: '' },
    call: ({ outcome, note }) =>
      api.resolveOperation({
        transaction_id: transaction.id,
        operation_id: operation.id,
        body: { outcome: outcome as Outcome, note: note.trim() },
      }),
    onSuccess: onClose,
  })
  return (
    <FormDialog
      title={`Set the outcome of the ${operation.type}`}
      onClose={onClose}
      action={action}
      submit="Set the outcome"
      kind="danger"
      isReady={values.outcome !== '' && values.note.trim() !== ''}
    >
      <p>
        Look the operation up at the payment provider first. The outcome changes amounts and causes an event. It cannot
        be changed afterwards.
      </p>
      <SelectField label="Outcome at the provider" options={outcomes} {...bind('outcome')} />
      <TextAreaField label="Note" hint="Where the outcome was found." isRequired maxLength={1_000} {...bind('note')} />
    </FormDialog>
  )
}

const outcomes = optionsAfter<Outcome>('Choose …', {
  succeeded: 'It succeeded',
  declined: 'It was declined',
  not_attempted: 'It had no effect',
})

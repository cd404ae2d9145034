import type { Code } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Loaded } from '../../layout/loaded.tsx'
import { localeName } from '../../layout/locale-field.tsx'
import { Page } from '../../layout/page.tsx'
import { api } from '../../session/api.ts'
import { useChanges } from '../../session/changes.ts'
import { usePermitted } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { formatMoney } from '../../text/money.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { Money } from '../../ui/money.tsx'
import { Time } from '../../ui/time.tsx'
import { TransactionState } from '../transactions/transaction-state.tsx'
import { InvitationActions } from './invitation-actions.tsx'
import { InvitationState, isOpen } from './invitation-state.tsx'
import { RevealLink } from './reveal-link.tsx'
import { TimeLine } from './time-line.tsx'

const pollMs = 5_000
/** A failed read is repeated by the person, or by `Loaded`. */
const refetchInterval = ({ state }: { state: { status: string } }) => (state.status === 'error' ? false : pollMs)

/** One invitation to pay, as it is now: the page reads it again every five seconds. */
export function InvitationPage() {
  useChanges()
  const codeId = String(useParams({ strict: false }).codeId)
  const query = useQuery({
    queryKey: ['invitations', codeId],
    queryFn: ({ signal }) => api.readCode({ code_id: codeId }, { signal }),
    enabled: usePermitted('readCode'),
    refetchInterval,
  })
  const { data } = query
  return (
    <Page
      title={data === undefined ? 'Invitation to pay' : foreign(data.recipient)}
      about={data === undefined ? undefined : formatMoney(data.amount, data.currency)}
      operation="readCode"
      args={{ code_id: codeId }}
      actions={data === undefined ? null : <InvitationActions code={data} />}
    >
      {() => <Loaded query={query}>{(data) => <Details code={data} />}</Loaded>}
    </Page>
  )
}

function Details({ code }: { code: Code }) {
  const { communication_details: details } = code
  return (
    <>
      <section className="card" aria-label="Details">
        <dl className="facts">
          <dt>Status</dt>
          <dd className="row" aria-live="polite">
            <InvitationState status={code.status} />
            {code.canceled_by === null ? null : <span>{reasons[code.canceled_by]}</span>}
          </dd>
          <LastError code={code} />
          <dt>Amount</dt>
          <dd>
            <Money amount={code.amount} currency={code.currency} />
            {code.capture ? ', to be captured with the payment' : ', to be authorized only'}
          </dd>
          {details.payer_name === undefined ? null : (
            <>
              <dt>Payer</dt>
              <dd>{foreign(details.payer_name)}</dd>
            </>
          )}
          {details.description === undefined ? null : (
            <>
              <dt>Purpose</dt>
              <dd>{foreign(details.description)}</dd>
            </>
          )}
          {isOpen(code.status) ? <LinkFacts code={code} /> : null}
          <References code={code} />
        </dl>
      </section>
      <section className="stack" aria-labelledby="time-line">
        <h2 id="time-line">Time line</h2>
        <TimeLine code={code} />
      </section>
    </>
  )
}

function LinkFacts({ code }: { code: Code }) {
  return (
    <>
      <dt>Link</dt>
      <dd>
        <RevealLink code={code} />
      </dd>
      <dt>{code.status === 'expired' ? 'Expired' : 'Expires'}</dt>
      <dd>
        <Time at={code.expires_at} />
      </dd>
      <dt>Reminder</dt>
      <dd>
        <Time at={code.reminder_at} fallback="none" />
      </dd>
    </>
  )
}

const reasons = {
  request: 'by a request, or with its business unit or payment orchestrator',
  transaction: 'because its transaction was voided',
  declines: 'after too many declined payments',
} as const

function LastError({ code: { last_error: error } }: { code: Code }) {
  if (error === null) return null
  return (
    <>
      <dt>Last failure</dt>
      <dd>
        {foreign(error.detail)} <code>{foreign(error.code)}</code>
      </dd>
    </>
  )
}

function References({ code }: { code: Code }) {
  return (
    <>
      <dt>Template</dt>
      <dd>
        {code.template_id === null ? (
          'built-in'
        ) : (
          <Link to="/templates/$templateId" params={{ templateId: code.template_id }}>
            of the tenant
          </Link>
        )}
      </dd>
      <dt>Language of the payer</dt>
      <dd>{code.locale === null ? 'that of the browser' : localeName(code.locale)}</dd>
      {code.return_url === null ? null : (
        <>
          <dt>Page after the payment</dt>
          <dd>
            <code>{foreign(code.return_url)}</code>
          </dd>
        </>
      )}
      <dt>Transaction</dt>
      <dd className="row">
        <Link to="/transactions/$transactionId" params={{ transactionId: code.transaction_id }}>
          <code>{foreign(code.transaction_id)}</code>
        </Link>
        <StateOfTransaction code={code} />
      </dd>
      <dt>Id</dt>
      <dd>
        <CopyField label="the id" value={code.id} />
      </dd>
    </>
  )
}

/** After the payment, what became of it: a capture may have failed, and the amount may be refunded. */
function StateOfTransaction({ code: { status, transaction_id: id } }: { code: Code }) {
  const { data } = useQuery({
    queryKey: ['transactions', id],
    queryFn: ({ signal }) => api.readTransaction({ transaction_id: id }, { signal }),
    enabled: usePermitted('readTransaction') && status === 'completed',
    refetchInterval,
  })
  return data === undefined ? null : <TransactionState transaction={data} />
}

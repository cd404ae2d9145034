import type { Code } from '@payments/client/schemas'
import { Reveal } from '../../layout/actions.tsx'
import { localeName } from '../../layout/fields.tsx'
import { ResourcePage } from '../../layout/resource-page.tsx'
import { TemplateLink, TransactionLink } from '../../parts/links.tsx'
import { InvitationState, isOpen, TransactionState } from '../../parts/states.tsx'
import { api } from '../../session/api.ts'
import { useChanges } from '../../session/changes.ts'
import { useResource } from '../../session/reads.ts'
import { foreign } from '../../text/format.ts'
import { formatMoney } from '../../text/money.ts'
import { CopyField, Details, type FactList, Money, Section, Time } from '../../ui/content.tsx'
import { InvitationActions } from './invitation-actions.tsx'
import { TimeLine } from './time-line.tsx'

/** One invitation to pay, as it is now. */
export function InvitationPage() {
  return (
    <ResourcePage
      noun="Invitation to pay"
      topic="invitations"
      operation="readCode"
      title={({ recipient }) => foreign(recipient)}
      about={(data) => data && formatMoney(data.amount, data.currency)}
      actions={(code) => <InvitationActions code={code} />}
    >
      {(code) => (
        <>
          <InvitationDetails code={code} />
          <Section title="Time line">
            <TimeLine code={code} />
          </Section>
        </>
      )}
    </ResourcePage>
  )
}

function InvitationDetails({ code }: { code: Code }) {
  const { status, canceled_by: canceledBy, last_error: error, template_id: templateId, return_url: returnUrl } = code
  const { payer_name: payerName, description } = code.communication_details
  return (
    <Details
      facts={{
        Status: (
          <span className="row" aria-live="polite">
            <InvitationState status={status} />
            {canceledBy === null ? null : <span>{reasons[canceledBy]}</span>}
          </span>
        ),
        'Last failure':
          error === null ? null : (
            <>
              {foreign(error.detail)} <code>{foreign(error.code)}</code>
            </>
          ),
        Amount: (
          <>
            <Money amount={code.amount} currency={code.currency} />
            {code.capture ? ', to be captured with the payment' : ', to be authorized only'}
          </>
        ),
        Payer: payerName === undefined ? null : foreign(payerName),
        Purpose: description === undefined ? null : foreign(description),
        ...(isOpen(status) ? linkFacts(code) : {}),
        Template: templateId === null ? 'built-in' : <TemplateLink id={templateId}>of the tenant</TemplateLink>,
        'Language of the payer': code.locale === null ? 'that of the browser' : localeName(code.locale),
        'Page after the payment': returnUrl === null ? null : <code>{foreign(returnUrl)}</code>,
        Transaction: <CodeTransaction code={code} />,
        Id: <CopyField label="the id" value={code.id} />,
      }}
    />
  )
}

const linkFacts = ({ id, status, expires_at, reminder_at }: Code): FactList => ({
  Link: (
    <Reveal
      operation="revealCode"
      read={async () => (await api.revealCode({ code_id: id })).url}
      label="the link"
      button="Reveal the link"
    >
      <small>A secret: its holder can see the amount and pay.</small>
    </Reveal>
  ),
  [status === 'expired' ? 'Expired' : 'Expires']: <Time at={expires_at} />,
  Reminder: <Time at={reminder_at} fallback="none" />,
})

const reasons = {
  request: 'by a request, or with its business unit or payment orchestrator',
  transaction: 'because its transaction was voided',
  declines: 'after too many declined payments',
} as const

/** The transaction and, after the payment, what became of it: a capture may have failed, the amount be refunded. */
function CodeTransaction({ code: { status, transaction_id: transactionId } }: { code: Code }) {
  const isPaid = status === 'completed'
  const args = { transaction_id: transactionId }
  const { data } = useResource('transactions', 'readTransaction', args, isPaid)
  useChanges('transactions', isPaid)
  return (
    <span className="row">
      <TransactionLink id={transactionId}>
        <code>{foreign(transactionId)}</code>
      </TransactionLink>
      {data === undefined ? null : <TransactionState transaction={data} />}
    </span>
  )
}

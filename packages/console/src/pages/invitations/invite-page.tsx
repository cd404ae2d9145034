import type { CreatedCode, Template } from '@payments/client/schemas'
import { Link, useSearch } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { useForm } from '../../layout/form.tsx'
import { Loaded, Page } from '../../layout/page.tsx'
import { useUnitChoice, useUnits, WithUnit } from '../../layout/unit.tsx'
import { RenderedMessage } from '../../parts/messages/rendered-message.tsx'
import { findInvitationTemplate, useTemplates } from '../../parts/messages/templates.ts'
import { api } from '../../session/api.ts'
import { useResource } from '../../session/reads.ts'
import { useDenial } from '../../session/self.ts'
import { foreign } from '../../text/format.ts'
import { firstWithTexts, sentTemplate } from '../../text/message-locale.ts'
import { formatMoney, parseMoney } from '../../text/money.ts'
import { Notice, Secret } from '../../ui/content.tsx'
import {
  buildBody,
  choosePayerLocale,
  type Draft,
  emptyDraft,
  type InvitingUnit,
  type Payment,
  sampleValues,
} from './draft.ts'
import styles from './invite.module.css'
import { InviteForm } from './invite-form.tsx'
import { messageFields } from './message-fields.tsx'

/** Invites a payer: the form, and beside it the message. The URL may have the transaction to pay. */
export function InvitePage() {
  const { transaction_id: transactionId } = useSearch({ strict: false }) as { transaction_id?: string }
  const choice = useUnitChoice()
  return (
    <Page title="Invite to pay" about="Sends a payer a link to the page of a payment." operation="createCode">
      {() =>
        transactionId === undefined ? (
          <WithUnit choice={choice}>{(unit) => <Invite unit={unit} />}</WithUnit>
        ) : (
          <InviteToTransaction transactionId={transactionId} />
        )
      }
    </Page>
  )
}

function InviteToTransaction({ transactionId }: { transactionId: string }) {
  const denial = useDenial()('readTransaction')
  const units = useUnits()
  const query = useResource('transactions', 'readTransaction', { transaction_id: transactionId })
  if (denial !== undefined) return <Notice tone="warning">An invitation to pay this transaction {denial}.</Notice>
  return (
    <Loaded query={query}>
      {(payment) => {
        const { business_unit_id: unitId } = payment
        const unknown = { id: unitId, timezone_name: 'UTC', default_currency: null, default_locale: null }
        return <Invite unit={units.find(({ id }) => id === unitId) ?? unknown} payment={payment} />
      }}
    </Loaded>
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

function Invite({ unit, payment }: { unit: InvitingUnit; payment?: Payment }) {
  const findDenial = useDenial()
  const denial = payment === undefined ? findDenial('createTransaction') : undefined
  const mayCapture = findDenial('captureTransaction') === undefined
  const [created, setCreated] = useState<CreatedCode>()
  const {
    values: draft,
    change,
    action,
    bind,
  } = useForm({
    initial: () => emptyDraft(unit, mayCapture, payment),
    fields,
    call: (filled, { idempotencyKey, startedAt }) =>
      api.createCode({ body: buildBody(startedAt, filled, unit, payment) }, { idempotencyKey }),
    onSuccess: setCreated,
  })
  const [shownUnitId, setShownUnitId] = useState(unit.id)
  if (shownUnitId !== unit.id) {
    // Another unit has another currency and other templates. The rest of the form stays.
    setShownUnitId(unit.id)
    setCreated(undefined)
    const empty = emptyDraft(unit, mayCapture, payment)
    const { currency, templateId, variables } = empty
    change(created === undefined ? { currency, templateId, variables } : empty)
  }
  const templates = useTemplates(unit.id, draft.channel)
  if (denial !== undefined) return <Notice tone="warning">An invitation creates a payment, which {denial}.</Notice>
  if (created !== undefined) {
    const again = () => {
      setCreated(undefined)
      change(emptyDraft(unit, mayCapture))
    }
    return <Invited code={created} unitName={unit.name} onAgain={payment === undefined ? again : undefined} />
  }
  const template = findInvitationTemplate(templates, draft.templateId === '' ? null : draft.templateId)
  const send = () => {
    if (parseMoney(draft.amount, draft.currency) !== undefined) action.run()
  }
  return (
    <div className={styles.columns}>
      <InviteForm
        draft={draft}
        payment={payment}
        templates={templates}
        mayCapture={mayCapture}
        bind={bind}
        action={action}
        onChange={change}
        onSubmit={send}
      />
      <aside className="card stack" aria-labelledby="preview">
        <h2 id="preview">The message</h2>
        {template === undefined ? (
          <p className="muted">The preview {findDenial('listTemplates') ?? 'appears in a moment'}.</p>
        ) : (
          <Preview draft={draft} unit={unit} payment={payment} templates={templates} named={template} />
        )}
      </aside>
    </div>
  )
}

interface PreviewProps {
  readonly draft: Draft
  readonly unit: InvitingUnit
  readonly payment: Payment | undefined
  readonly templates: readonly Template[]
  readonly named: Template
}

/** The message as it will be sent: with the translation for the payer, in the formats of its language. */
function Preview({ draft, unit, payment, templates, named }: PreviewProps) {
  const chosen = choosePayerLocale(draft, payment)
  const wanted = chosen ?? unit.default_locale
  const sent = sentTemplate(templates, named, wanted ?? 'en')
  const formats = sent.kind === 'custom' && wanted !== null ? wanted : firstWithTexts(chosen, unit.default_locale)
  return (
    <>
      {sent.id === named.id ? null : <p className="muted">The translation of the template: {sent.locale}.</p>}
      <RenderedMessage
        template={sent}
        unitId={unit.id}
        values={sampleValues(draft, unit, formats, new Date())}
        locale={chosen ?? ''}
      />
    </>
  )
}

interface InvitedProps {
  readonly code: CreatedCode
  /** Undefined where the person may not read the business unit. */
  readonly unitName: string | undefined
  readonly onAgain: (() => void) | undefined
}

/** The outcome of an invitation, with its link. */
function Invited({ code, unitName, onAgain }: InvitedProps) {
  const [isShown, setShown] = useState(true)
  const hide = useCallback(() => setShown(false), [])
  return (
    <section className="card stack" aria-label="The invitation">
      <Notice
        tone="good"
        title={`Invited ${foreign(code.recipient)} to pay ${formatMoney(code.amount, code.currency)}.`}
      >
        The message{unitName === undefined ? '' : ` of ${foreign(unitName)}`} is on its way.
      </Notice>
      {isShown && code.url !== null ? (
        <>
          <p>The link. Its holder can see the amount and pay.</p>
          <Secret label="the link" value={code.url} onHide={hide} />
        </>
      ) : (
        <p className="muted">The link is hidden. Reveal it on the page of the invitation.</p>
      )}
      <div className="row">
        <Link to="/invitations/$code_id" params={{ code_id: code.id }} className="button" data-kind="primary">
          Open the invitation
        </Link>
        {onAgain === undefined ? null : (
          <button type="button" onClick={onAgain}>
            Invite another payer
          </button>
        )}
      </div>
    </section>
  )
}

import type { Transaction } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ActionButton, Actions, CallButton, Confirm, offerDialog } from '../../layout/actions.tsx'
import { AmountField } from '../../layout/fields.tsx'
import { FormDialog, useForm } from '../../layout/form.tsx'
import { NotSent } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { queryClient } from '../../session/query-client.ts'
import { usePermitted } from '../../session/self.ts'
import { formatDecimal, formatMoney, parseMoney } from '../../text/money.ts'
import { Notice } from '../../ui/content.tsx'
import { CheckField, TextField } from '../../ui/fields.tsx'
import { AmountsAfter } from './amounts.tsx'

/** The actions that the state of the transaction allows. */
export function TransactionActions({ transaction }: { transaction: Transaction }) {
  const { status, amount_capturable: capturable, amount_refundable: refundable } = transaction
  const isIdle = transaction.pending_operation === null
  const waitsForPayer = transaction.pending_operation?.state === 'action_required'
  const isBeforeAuthorization = status === 'pending' || status === 'failed'
  return (
    <>
      {isIdle && isBeforeAuthorization ? <InviteToPay transaction={transaction} /> : null}
      <Actions
        actions={[
          offerDialog(
            'captureTransaction',
            'Capture',
            (close) => <CaptureDialog transaction={transaction} onClose={close} />,
            { kind: 'primary', isOffered: isIdle && capturable > 0 },
          ),
          offerDialog(
            'refundTransaction',
            'Refund',
            (close) => <RefundDialog transaction={transaction} onClose={close} />,
            { isOffered: isIdle && refundable > 0 },
          ),
          offerDialog('voidTransaction', 'Void', (close) => <ConfirmVoid transaction={transaction} onClose={close} />, {
            isOffered: waitsForPayer || (isIdle && (capturable > 0 || isBeforeAuthorization)),
          }),
        ]}
      />
      {isIdle ? null : <Sync transaction={transaction} />}
    </>
  )
}

/** Of a transaction without an invitation that can still be paid. */
function InviteToPay({ transaction: { id, i2p: isInvited } }: { transaction: Transaction }) {
  const navigate = useNavigate()
  const isRead = usePermitted('listCodes') && isInvited
  const { data } = useQuery({
    queryKey: ['invitations', 'newest', id],
    // An open one is the newest.
    queryFn: ({ signal }) => api.listCodes({ transaction_id: id, limit: 1 }, { signal }).page(),
    enabled: isRead,
  })
  const isOpen = data?.data.some(({ status }) => status === 'active' || status === 'processing') ?? true
  if (isRead && isOpen) return null
  return (
    <ActionButton
      operation="createCode"
      kind="primary"
      onClick={() => void navigate({ to: '/invitations/new', search: { transaction_id: id } })}
    >
      Invite to pay
    </ActionButton>
  )
}

function ConfirmVoid({ transaction, onClose }: { transaction: Transaction; onClose: () => void }) {
  const { id, currency, amount_capturable: capturable, amount_captured: captured } = transaction
  const { notice, requireSeen } = useSeen(transaction)
  const rest = captured === 0 ? '' : ` ${formatMoney(captured, currency)} stay captured.`
  return (
    <Confirm
      title="Void this transaction?"
      submit="Void"
      dismiss="Keep it"
      call={async ({ idempotencyKey }) => {
        await requireSeen()
        return api.voidTransaction({ transaction_id: id, body: {} }, { idempotencyKey })
      }}
      effect={
        <>
          {notice}
          {capturable > 0
            ? `${formatMoney(capturable, currency)} are released, and cannot be captured any more.${rest}`
            : 'It cannot be paid any more. A payment that waits for the payer is canceled.'}
        </>
      }
      onClose={onClose}
    />
  )
}

/** Reads the outcome of the open operation from the payment provider at once. */
function Sync({ transaction }: { transaction: Transaction }) {
  return (
    <CallButton
      operation="syncTransaction"
      kind="primary"
      running="One moment …"
      call={() => api.syncTransaction({ transaction_id: transaction.id })}
    >
      Read the outcome
    </CallButton>
  )
}

/** Captures the authorized amount, or a part of it. */
function CaptureDialog({ transaction, onClose }: { transaction: Transaction; onClose: () => void }) {
  const { id, currency, amount_captured: captured, amount_capturable: max } = transaction
  const { notice, requireSeen } = useSeen(transaction)
  const { values, change, bind, action } = useForm({
    initial: { amount: formatDecimal(max, currency), isFinal: false },
    call: async ({ amount: text, isFinal }, { idempotencyKey }) => {
      await requireSeen()
      const body = { amount: parseMoney(text, currency) ?? 0, final_capture: isFinal }
      return api.captureTransaction({ transaction_id: id, body }, { idempotencyKey })
    },
    onSuccess: onClose,
  })
  const { isFinal } = values
  const amount = parseMoney(values.amount, currency)
  const rest = max - (amount ?? 0)
  return (
    <FormDialog
      title="Capture from the payer"
      onClose={onClose}
      action={action}
      submit={amount === undefined ? 'Capture' : `Capture ${formatMoney(amount, currency)}`}
      isReady={amount !== undefined}
    >
      {notice}
      <p>Takes the authorized money from the payer.</p>
      <AmountField
        label={`Amount to capture in ${currency}`}
        currency={currency}
        max={max}
        {...bind('amount')}
        onChange={(changed) => {
          action.reset()
          change({ amount: changed })
        }}
      />
      {rest === 0 ? null : (
        <CheckField isChecked={isFinal} onChange={(isChecked) => change({ isFinal: isChecked })}>
          Release the rest of the authorized amount
        </CheckField>
      )}
      {amount === undefined || rest < 0 ? null : (
        <AmountsAfter
          title="After this capture"
          currency={currency}
          amounts={{
            Captured: captured + amount,
            'Still capturable': isFinal ? 0 : rest,
            ...(isFinal ? { Released: transaction.amount_voided + rest } : {}),
          }}
        />
      )}
    </FormDialog>
  )
}

/** Refunds the captured amount, or a part of it. */
function RefundDialog({ transaction, onClose }: { transaction: Transaction; onClose: () => void }) {
  const { id, currency, amount_refunded: refunded, amount_refundable: max } = transaction
  const { notice, requireSeen } = useSeen(transaction)
  const { values, change, bind, action } = useForm({
    initial: { amount: formatDecimal(max, currency), reason: '' },
    call: async ({ amount: text, reason }, { idempotencyKey }) => {
      await requireSeen()
      const body = { amount: parseMoney(text, currency) ?? 0, ...(reason.trim() && { reason: reason.trim() }) }
      return api.refundTransaction({ transaction_id: id, body }, { idempotencyKey })
    },
    onSuccess: onClose,
  })
  const amount = parseMoney(values.amount, currency)
  const rest = max - (amount ?? 0)
  return (
    <FormDialog
      title="Refund to the payer"
      onClose={onClose}
      action={action}
      submit={amount === undefined ? 'Refund' : `Refund ${formatMoney(amount, currency)}`}
      kind="danger"
      isReady={amount !== undefined}
    >
      {notice}
      <p>Sends captured money back to the payer. A refund cannot be taken back.</p>
      <AmountField
        label={`Amount to refund in ${currency}`}
        currency={currency}
        max={max}
        {...bind('amount')}
        onChange={(changed) => {
          action.reset()
          change({ amount: changed })
        }}
      />
      <TextField label="Reason" hint="Optional. Stored with the operation." maxLength={500} {...bind('reason')} />
      {amount === undefined || rest < 0 ? null : (
        <AmountsAfter
          title="After this refund"
          currency={currency}
          amounts={{ Refunded: refunded + amount, 'Still refundable': rest }}
        />
      )}
    </FormDialog>
  )
}

/** For a form that moves money: it is sent with the amounts that the person has seen. */
function useSeen({ id, version }: Transaction) {
  const [opened] = useState(version)
  useEffect(() => void queryClient.invalidateQueries({ queryKey: ['transactions', 'readTransaction', id] }), [id])
  return {
    /** Says so when the transaction has changed since the form opened. */
    notice:
      version === opened ? null : (
        <Notice tone="warning" title="This transaction has changed since the form opened.">
          The form shows the amounts as they are. Look at them before you send it.
        </Notice>
      ),
    /** Rejects when the transaction has changed and the form does not show it yet. Nothing is sent then. */
    requireSeen: async () => {
      const current = await api.readTransaction({ transaction_id: id })
      if (current.version !== version) {
        throw new NotSent('The transaction has changed, so nothing was sent. Look at the amounts, and send it again.')
      }
    },
  }
}

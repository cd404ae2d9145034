import type { Transaction } from '@payments/client/schemas'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Confirm } from '../../layout/confirm.tsx'
import { useAction } from '../../session/action.ts'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { formatMoney } from '../../text/money.ts'
import { Notice } from '../../ui/notice.tsx'
import { CaptureDialog } from './capture-dialog.tsx'
import { RefundDialog } from './refund-dialog.tsx'

/** The actions that the state of the transaction allows. */
export function TransactionActions({ transaction }: { transaction: Transaction }) {
  const [open, setOpen] = useState<'capture' | 'refund' | 'void'>()
  const navigate = useNavigate()
  const close = () => setOpen(undefined)
  const { id, status, currency, amount_capturable: capturable, amount_refundable: refundable } = transaction
  const isIdle = transaction.pending_operation === null
  const isBeforeAuthorization = status === 'pending' || status === 'failed'
  const captured = transaction.amount_captured
  const rest = captured === 0 ? '' : ` ${formatMoney(captured, currency)} stay captured.`
  return (
    <>
      {isIdle && isBeforeAuthorization && !transaction.i2p ? (
        <ActionButton
          operation="createCode"
          kind="primary"
          onClick={() => void navigate({ to: '/invitations/new', search: { transaction_id: id } })}
        >
          Invite to pay
        </ActionButton>
      ) : null}
      {isIdle && capturable > 0 ? (
        <ActionButton operation="captureTransaction" kind="primary" onClick={() => setOpen('capture')}>
          Capture
        </ActionButton>
      ) : null}
      {isIdle && refundable > 0 ? (
        <ActionButton operation="refundTransaction" onClick={() => setOpen('refund')}>
          Refund
        </ActionButton>
      ) : null}
      {isIdle && (capturable > 0 || isBeforeAuthorization) ? (
        <ActionButton operation="voidTransaction" onClick={() => setOpen('void')}>
          Void
        </ActionButton>
      ) : null}
      {isIdle ? null : <Sync transaction={transaction} />}
      {open === 'capture' ? <CaptureDialog transaction={transaction} onClose={close} /> : null}
      {open === 'refund' ? <RefundDialog transaction={transaction} onClose={close} /> : null}
      {open === 'void' ? (
        <Confirm
          title="Void this transaction?"
          submit="Void"
          dismiss="Keep it"
          call={({ idempotencyKey }) => api.voidTransaction({ transaction_id: id, body: {} }, { idempotencyKey })}
          onClose={close}
        >
          {isBeforeAuthorization
            ? 'It cannot be paid any more.'
            : `${formatMoney(capturable, currency)} are released, and cannot be captured any more.${rest}`}
        </Confirm>
      ) : null}
    </>
  )
}

/** Reads the outcome of the open operation from the payment provider at once. */
function Sync({ transaction }: { transaction: Transaction }) {
  const sync = useAction({ call: () => api.syncTransaction({ transaction_id: transaction.id }) })
  return (
    <>
      {sync.failure === undefined ? null : <Notice tone="bad">{sync.failure}</Notice>}
      <ActionButton operation="syncTransaction" kind="primary" onClick={() => sync.run(undefined)}>
        {sync.isRunning ? 'One moment …' : 'Read the outcome'}
      </ActionButton>
    </>
  )
}

import type { Transaction } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Actions } from '../../layout/actions.tsx'
import { Confirm } from '../../layout/confirm.tsx'
import { ActionButton, CallButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { usePermitted } from '../../session/self.ts'
import { formatMoney } from '../../text/money.ts'
import { CaptureDialog } from './capture-dialog.tsx'
import { RefundDialog } from './refund-dialog.tsx'
import { useSeen } from './seen.tsx'

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
          {
            operation: 'captureTransaction',
            label: 'Capture',
            kind: 'primary',
            isOffered: isIdle && capturable > 0,
            dialog: (close) => <CaptureDialog transaction={transaction} onClose={close} />,
          },
          {
            operation: 'refundTransaction',
            label: 'Refund',
            isOffered: isIdle && refundable > 0,
            dialog: (close) => <RefundDialog transaction={transaction} onClose={close} />,
          },
          {
            operation: 'voidTransaction',
            label: 'Void',
            isOffered: waitsForPayer || (isIdle && (capturable > 0 || isBeforeAuthorization)),
            dialog: (close) => <ConfirmVoid transaction={transaction} onClose={close} />,
          },
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
      onClose={onClose}
    >
      {notice}
      {capturable > 0
        ? `${formatMoney(capturable, currency)} are released, and cannot be captured any more.${rest}`
        : 'It cannot be paid any more. A payment that waits for the payer is canceled.'}
    </Confirm>
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

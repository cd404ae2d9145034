import type { Transaction } from '@payments/client/schemas'
import { useState } from 'react'
import { AmountField } from '../../layout/amount-field.tsx'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { formatDecimal, formatMoney, parseMoney } from '../../text/money.ts'
import { TextField } from '../../ui/fields.tsx'
import { AmountsAfter } from './amounts-after.tsx'
import { useSeen } from './seen.tsx'

/** Refunds the captured amount, or a part of it. */
export function RefundDialog({ transaction, onClose }: { transaction: Transaction; onClose: () => void }) {
  const { id, currency, amount_refunded: refunded, amount_refundable: max } = transaction
  const [text, setText] = useState(formatDecimal(max, currency))
  const [reason, setReason] = useState('')
  const { notice, requireSeen } = useSeen(transaction)
  const refund = useAction({
    call: async (amount: number, { idempotencyKey }) => {
      await requireSeen()
      const body = { amount, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) }
      return api.refundTransaction({ transaction_id: id, body }, { idempotencyKey })
    },
    onSuccess: onClose,
    fields: ['/amount', '/reason'],
  })
  const amount = parseMoney(text, currency)
  const rest = max - (amount ?? 0)
  return (
    <FormDialog
      title="Refund to the payer"
      onClose={onClose}
      action={refund}
      submit={amount === undefined ? 'Refund' : `Refund ${formatMoney(amount, currency)}`}
      kind="danger"
      isReady={amount !== undefined}
      onSubmit={() => {
        if (amount !== undefined) refund.run(amount)
      }}
    >
      {notice}
      <p>Sends captured money back to the payer. A refund cannot be taken back.</p>
      <AmountField
        label={`Amount to refund in ${currency}`}
        currency={currency}
        max={max}
        value={text}
        onChange={(changed) => {
          refund.reset()
          setText(changed)
        }}
        error={refund.fieldError('/amount')}
      />
      <TextField
        label="Reason"
        hint="Optional. Stored with the operation."
        maxLength={500}
        value={reason}
        onChange={setReason}
        error={refund.fieldError('/reason')}
      />
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

import type { Transaction } from '@payments/client/schemas'
import { AmountField } from '../../layout/amount-field.tsx'
import { FormDialog, useForm } from '../../layout/form.tsx'
import { api } from '../../session/api.ts'
import { formatDecimal, formatMoney, parseMoney } from '../../text/money.ts'
import { TextField } from '../../ui/fields.tsx'
import { AmountsAfter } from './amounts.tsx'
import { useSeen } from './seen.tsx'

/** Refunds the captured amount, or a part of it. */
export function RefundDialog({ transaction, onClose }: { transaction: Transaction; onClose: () => void }) {
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

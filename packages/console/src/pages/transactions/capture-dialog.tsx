import type { Transaction } from '@payments/client/schemas'
import { AmountField } from '../../layout/amount-field.tsx'
import { FormDialog, useForm } from '../../layout/form.tsx'
import { api } from '../../session/api.ts'
import { formatDecimal, formatMoney, parseMoney } from '../../text/money.ts'
import { CheckField } from '../../ui/fields.tsx'
import { AmountsAfter } from './amounts.tsx'
import { useSeen } from './seen.tsx'

/** Captures the authorized amount, or a part of it. */
export function CaptureDialog({ transaction, onClose }: { transaction: Transaction; onClose: () => void }) {
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

import type { Transaction } from '@payments/client/schemas'
import { useState } from 'react'
import { AmountField } from '../../layout/amount-field.tsx'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { formatDecimal, formatMoney, parseMoney } from '../../text/money.ts'
import { CheckField } from '../../ui/fields.tsx'
import { AmountsAfter } from './amounts-after.tsx'
import { useSeen } from './seen.tsx'

/** Captures the authorized amount, or a part of it. */
export function CaptureDialog({ transaction, onClose }: { transaction: Transaction; onClose: () => void }) {
  const { id, currency, amount_captured: captured, amount_capturable: max } = transaction
  const [text, setText] = useState(formatDecimal(max, currency))
  const [isFinal, setFinal] = useState(false)
  const { notice, requireSeen } = useSeen(transaction)
  const capture = useAction({
    call: async (amount: number, { idempotencyKey }) => {
      await requireSeen()
      const body = { amount, final_capture: isFinal }
      return api.captureTransaction({ transaction_id: id, body }, { idempotencyKey })
    },
    onSuccess: onClose,
    fields: ['/amount'],
  })
  const amount = parseMoney(text, currency)
  const rest = max - (amount ?? 0)
  return (
    <FormDialog
      title="Capture from the payer"
      onClose={onClose}
      action={capture}
      submit={amount === undefined ? 'Capture' : `Capture ${formatMoney(amount, currency)}`}
      isReady={amount !== undefined}
      onSubmit={() => {
        if (amount !== undefined) capture.run(amount)
      }}
    >
      {notice}
      <p>Takes the authorized money from the payer.</p>
      <AmountField
        label={`Amount to capture in ${currency}`}
        currency={currency}
        max={max}
        value={text}
        onChange={(changed) => {
          capture.reset()
          setText(changed)
        }}
        error={capture.fieldError('/amount')}
      />
      {rest === 0 ? null : (
        <CheckField isChecked={isFinal} onChange={setFinal}>
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

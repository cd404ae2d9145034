import type { Transaction } from '@payments/client/schemas'
import { useState } from 'react'
import { Form } from '../../layout/form.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { decimalOf, parseMoney } from '../../text/money.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { AmountField } from './amount-field.tsx'

/** Captures the authorized amount, or a part of it. */
export function CaptureDialog({ transaction, onClose }: { transaction: Transaction; onClose: () => void }) {
  const { id, currency, amount_capturable: max } = transaction
  const [text, setText] = useState(decimalOf(max, currency))
  const [isFinal, setFinal] = useState(false)
  const capture = useAction({
    call: (amount: number, { idempotencyKey }) =>
      api.captureTransaction({ transaction_id: id, body: { amount, final_capture: isFinal } }, { idempotencyKey }),
    onSuccess: onClose,
    fields: ['/amount'],
  })
  const amount = parseMoney(text, currency)
  return (
    <Dialog title="Capture" onClose={onClose}>
      <Form
        action={capture}
        submit="Capture"
        isReady={amount !== undefined}
        onSubmit={() => {
          if (amount !== undefined) capture.run(amount)
        }}
        onCancel={onClose}
      >
        <AmountField
          currency={currency}
          max={max}
          text={text}
          onChange={(changed) => {
            capture.reset()
            setText(changed)
          }}
          error={capture.failureOf('/amount')}
        />
        <label className="row">
          <input type="checkbox" checked={isFinal} onChange={({ target }) => setFinal(target.checked)} />
          Release the rest of the authorized amount
        </label>
      </Form>
    </Dialog>
  )
}

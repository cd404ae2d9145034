import type { Transaction } from '@payments/client/schemas'
import { useState } from 'react'
import { Form } from '../../layout/form.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { decimalOf, parseMoney } from '../../text/money.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { AmountField } from './amount-field.tsx'

/** Refunds the captured amount, or a part of it. */
export function RefundDialog({ transaction, onClose }: { transaction: Transaction; onClose: () => void }) {
  const { id, currency, amount_refundable: max } = transaction
  const [text, setText] = useState(decimalOf(max, currency))
  const [reason, setReason] = useState('')
  const refund = useAction({
    call: (amount: number, { idempotencyKey }) =>
      api.refundTransaction(
        { transaction_id: id, body: { amount, ...(reason.trim() === '' ? {} : { reason }) } },
        { idempotencyKey },
      ),
    onSuccess: onClose,
    fields: ['/amount', '/reason'],
  })
  const amount = parseMoney(text, currency)
  return (
    <Dialog title="Refund" onClose={onClose}>
      <Form
        action={refund}
        submit="Refund"
        kind="danger"
        isReady={amount !== undefined}
        onSubmit={() => {
          if (amount !== undefined) refund.run(amount)
        }}
        onCancel={onClose}
      >
        <AmountField
          currency={currency}
          max={max}
          text={text}
          onChange={(changed) => {
            refund.reset()
            setText(changed)
          }}
          error={refund.failureOf('/amount')}
        />
        <Field label="Reason" hint="Stored with the operation." error={refund.failureOf('/reason')}>
          {(control) => (
            <input {...control} maxLength={500} value={reason} onChange={({ target }) => setReason(target.value)} />
          )}
        </Field>
      </Form>
    </Dialog>
  )
}

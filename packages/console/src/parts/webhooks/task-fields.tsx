import { formatDuration, formatQuantity } from '../../text/format.ts'
import { Notice } from '../../ui/content.tsx'
import { TextField } from '../../ui/fields.tsx'

interface RateFieldProps {
  /** The text of the input; empty without a limit. */
  readonly value: string
  /** Deliveries of the task, for the time that it takes. */
  readonly total: number
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

/** The maximum of deliveries per second of a task. */
export function RateField({ value, total, error, onChange }: RateFieldProps) {
  const rate = Number(value)
  const hint = rate > 0 && total > 0 ? `Takes at least ${formatDuration(total / rate)}.` : 'Empty: no limit.'
  return (
    <TextField
      label="Deliveries per second"
      hint={hint}
      error={error}
      type="number"
      min={1}
      max={1_000}
      value={value}
      onChange={onChange}
    />
  )
}

/** The rate as part of a request. */
export const rateBody = (value: string) => (value === '' ? {} : { rate_per_second: Number(value) })

/** `1,204 deliveries would be sent.` */
export function DeliveryCount({ count, effect }: { count: number; effect: string }) {
  return (
    <Notice tone={count === 0 ? 'warning' : 'info'}>
      <strong>{formatQuantity(count, 'delivery', 'deliveries')}</strong> {effect}.
    </Notice>
  )
}

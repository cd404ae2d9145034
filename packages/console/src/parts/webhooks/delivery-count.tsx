import { formatQuantity } from '../../text/format.ts'
import { Notice } from '../../ui/notice.tsx'

/** `1,204 deliveries would be sent.` */
export function DeliveryCount({ count, effect }: { count: number; effect: string }) {
  return (
    <Notice tone={count === 0 ? 'warning' : 'info'}>
      <strong>{formatQuantity(count, 'delivery', 'deliveries')}</strong> {effect}.
    </Notice>
  )
}

import { Counter, type Registry } from 'prom-client'
import type { MessageKind } from '../domain/message.ts'

export interface SendingMetrics {
  attempted(kind: MessageKind, outcome: string): void
}

export function createSendingMetrics(registry: Registry): SendingMetrics {
  const attempts = new Counter({
    name: 'invite_to_pay_messages_total',
    help: 'Attempts to hand a message to communication, by kind and outcome',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  })
  return { attempted: (kind, outcome) => attempts.inc({ kind, outcome }) }
}

import { Counter, type Registry } from 'prom-client'

export interface MailMetrics {
  attempted(outcome: string): void
}

export function createMailMetrics(registry: Registry): MailMetrics {
  const attempts = new Counter({
    name: 'identity_mails_total',
    help: 'Attempts to hand the mail of a user invitation to communication, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  })
  return { attempted: (outcome) => attempts.inc({ outcome }) }
}

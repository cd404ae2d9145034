import { Counter, type Registry } from 'prom-client'

export type MessageAttempts = Counter<'kind' | 'outcome'>

export const countMessageAttempts = (registry: Registry): MessageAttempts =>
  new Counter({
    name: 'invite_to_pay_messages_total',
    help: 'Attempts to hand a message to communication, by kind and outcome',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  })

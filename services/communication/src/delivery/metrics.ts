import { Counter, type Registry } from 'prom-client'
import type { Providers } from '../providers/provider.ts'

export type DeliveryAttempts = Counter<'provider' | 'outcome'>

export function countDeliveryAttempts(registry: Registry, providers: Providers): DeliveryAttempts {
  const attempts = new Counter({
    name: 'communication_attempts_total',
    help: 'Attempts to hand a message to a provider, by provider and outcome',
    labelNames: ['provider', 'outcome'],
    registers: [registry],
  })
  // A share of the attempts requires the series from the start.
  for (const { name: provider } of Object.values(providers)) {
    for (const outcome of ['accepted', 'refused', 'unavailable']) attempts.inc({ provider, outcome }, 0)
  }
  return attempts
}

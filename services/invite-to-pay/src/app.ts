import { type App, createServiceApp } from '@payments/chassis/request/app'
import { inviteToPay } from '@payments/contracts/services/invite-to-pay/contract'
import { operatorCallsIn } from '@payments/messaging/outbox/operator-calls'
import type { Deps } from './deps.ts'
import { routes } from './routes.ts'

export function createApp(deps: Deps): App {
  const { keys, log, metrics } = deps
  return createServiceApp({
    contract: inviteToPay,
    handlers: routes(deps),
    keys,
    operatorCalls: operatorCallsIn(deps.db.sql),
    log,
    metrics,
    readiness: { required: { database: () => deps.db.check() }, optional: { broker: deps.brokerCheck } },
  })
}

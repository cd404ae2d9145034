import { type App, createServiceApp } from '@payments/chassis/app'
import { businessUnitContract } from '@payments/contracts/business-unit'
import { operatorCallsIn } from '@payments/messaging/operator-calls'
import type { Deps } from './deps.ts'
import { routes } from './routes.ts'

export function createApp(deps: Deps): App {
  const { keys, log, metrics } = deps
  return createServiceApp({
    contract: businessUnitContract,
    handlers: routes(deps),
    keys,
    operatorCalls: operatorCallsIn(deps.db.sql),
    log,
    metrics,
    readiness: { required: { database: () => deps.db.check() }, optional: { broker: deps.brokerCheck } },
  })
}

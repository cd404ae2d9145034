import { type App, createServiceApp } from '@payments/chassis/request/app'
import { webhooks } from '@payments/contracts/services/webhooks/contract'
import { operatorCallsIn } from '@payments/messaging/outbox/operator-calls'
import { requireBusinessUnits } from './business-units.ts'
import type { Deps } from './deps.ts'
import { routes } from './routes.ts'

export function createApp(deps: Deps): App {
  const { keys, log, metrics } = deps
  const readiness = {
    required: { database: () => deps.db.check() },
    optional: { broker: deps.brokerCheck },
  }
  const operatorCalls = operatorCallsIn(deps.db.sql)
  const handlers = requireBusinessUnits(deps.businessUnits, routes(deps))
  return createServiceApp({ contract: webhooks, handlers, keys, operatorCalls, log, metrics, readiness })
}

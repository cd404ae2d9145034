import { type App, createServiceApp } from '@payments/chassis/request/app'
import { apiKey } from '@payments/contracts/services/api-key/contract'
import { operatorCallsIn } from '@payments/messaging/outbox/operator-calls'
import type { Deps } from './deps.ts'
import { routes } from './routes.ts'

export function createApp(deps: Deps): App {
  const { keys, log, metrics } = deps
  const readiness = { required: { database: () => deps.db.check() }, optional: { broker: deps.brokerCheck } }
  const operatorCalls = operatorCallsIn(deps.db.sql)
  return createServiceApp({ contract: apiKey, handlers: routes(deps), keys, operatorCalls, log, metrics, readiness })
}

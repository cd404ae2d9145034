import { type App, createServiceApp } from '@payments/chassis/app'
import { apiKey } from '@payments/contracts/api-key'
import { operatorCallsIn } from '@payments/messaging/operator-calls'
import type { Deps } from './deps.ts'
import { routes } from './routes.ts'

export function createApp(deps: Deps): App {
  const { keys, log, metrics } = deps
  const readiness = { required: { database: () => deps.db.check() }, optional: { broker: deps.brokerCheck } }
  const operatorCalls = operatorCallsIn(deps.db.sql)
  return createServiceApp({ contract: apiKey, handlers: routes(deps), keys, operatorCalls, log, metrics, readiness })
}

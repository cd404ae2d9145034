import { type App, createServiceApp } from '@payments/chassis/app'
import { webhooks } from '@payments/contracts/webhooks'
import { operatorCallsIn } from '@payments/messaging/operator-calls'
import type { Deps } from './deps.ts'
import { routes } from './routes.ts'

export function createApp(deps: Deps): App {
  const { keys, log, metrics } = deps
  const readiness = { database: () => deps.db.check(), broker: () => deps.deadLetters.check() }
  const operatorCalls = operatorCallsIn(deps.db.sql)
  return createServiceApp({ contract: webhooks, handlers: routes(deps), keys, operatorCalls, log, metrics, readiness })
}

import { type App, createServiceApp } from '@payments/chassis/request/app'
import { audit } from '@payments/contracts/services/audit/contract'
import { operatorCallsIn } from '@payments/messaging/outbox/operator-calls'
import type { Deps } from './deps.ts'
import { routes } from './routes.ts'

export function createApp(deps: Deps): App {
  const { keys, log, metrics, brokerCheck } = deps
  const readiness = { required: { database: () => deps.db.check() }, optional: { broker: brokerCheck } }
  const operatorCalls = operatorCallsIn(deps.db.sql)
  return createServiceApp({ contract: audit, handlers: routes(deps), keys, operatorCalls, log, metrics, readiness })
}

import { type App, createServiceApp } from '@payments/chassis/request/app'
import { communicationContract } from '@payments/contracts/services/communication/contract'
import { operatorCallsIn } from '@payments/messaging/outbox/operator-calls'
import type { Deps } from './deps.ts'
import { routes } from './routes.ts'

export function createApp(deps: Deps): App {
  const { keys, log, metrics } = deps
  const readiness = { required: { database: () => deps.db.check() }, optional: { broker: deps.brokerCheck } }
  const operatorCalls = operatorCallsIn(deps.db.sql)
  const contract = communicationContract
  return createServiceApp({ contract, handlers: routes(deps), keys, operatorCalls, log, metrics, readiness })
}

import { type App, createServiceApp } from '@payments/chassis/app'
import { paymentProxy } from '@payments/contracts/payment-proxy'
import { commonProblems, Problem } from '@payments/contracts/problem'
import { operatorCallsIn } from '@payments/messaging/operator-calls'
import type { Deps } from './deps.ts'
import { containsCardNumber } from './domain/card-number.ts'
import { routes } from './routes.ts'

export function createApp(deps: Deps): App {
  const { keys, log, metrics, broker } = deps
  const readiness = { database: () => deps.db.check(), broker }
  const handlers = routes(deps)
  const operatorCalls = operatorCallsIn(deps.db.sql)
  return createServiceApp({
    contract: paymentProxy,
    handlers,
    keys,
    operatorCalls,
    log,
    metrics,
    readiness,
    inspectBody,
  })
}

function inspectBody(body: string): void {
  if (!containsCardNumber(body)) return
  throw new Problem(commonProblems.raw_card_data_not_allowed, {
    detail: 'The body contains a number with the form and checksum of a card number',
  })
}

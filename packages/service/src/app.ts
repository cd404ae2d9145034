import type { Database } from '@payments/chassis/database/database'
import type { SqlTx } from '@payments/chassis/database/transaction'
import { type App, createServiceApp } from '@payments/chassis/request/app'
import type { LeaseGrants } from '@payments/chassis/request/lease-listener'
import type { Handlers } from '@payments/chassis/request/router'
import type { Contract } from '@payments/contracts/grammar/contract'
import { operatorCallsIn } from '@payments/messaging/outbox/operator-calls'
import type { ServiceDeps } from './run-service.ts'

/**
 * The Express app of a service. It is ready without the broker: events wait in the outbox. Does no I/O itself.
 * `leases`: of an authorization source.
 */
export function serviceApp<C extends Contract>(
  contract: C,
  handlers: Handlers<C>,
  { db, keys, brokerCheck, log, isLogged, metrics }: ServiceDeps<Database<SqlTx>>,
  leases?: LeaseGrants,
): App {
  const readiness = { required: { database: () => db.check() }, optional: { broker: brokerCheck } }
  const given = { contract, handlers, keys, operatorCalls: operatorCallsIn(db.sql), log, isLogged, metrics, readiness }
  return createServiceApp(leases === undefined ? given : { ...given, leases })
}

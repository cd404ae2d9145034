import { type App, createServiceApp } from '@payments/chassis/app'
import { audit } from '@payments/contracts/audit'
import type { Deps } from './deps.ts'
import { routes } from './routes.ts'

export function createApp(deps: Deps): App {
  const { keys, log, metrics, broker } = deps
  const readiness = { database: () => deps.db.check(), broker }
  return createServiceApp({ contract: audit, handlers: routes(deps), keys, log, metrics, readiness })
}

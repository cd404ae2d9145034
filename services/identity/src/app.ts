import type { App } from '@payments/chassis/request/app'
import { identityContract } from '@payments/contracts/services/identity/contract'
import { serviceApp } from '@payments/service/app'
import type { Deps } from './deps.ts'
import { routes } from './routes.ts'

export const createApp = (deps: Deps): App =>
  serviceApp(identityContract, routes(deps), deps, { versions: deps.db.versions })

import type { App } from '@payments/chassis/request/app'
import { rbac } from '@payments/contracts/services/rbac/contract'
import { serviceApp } from '@payments/service/app'
import type { Deps } from './deps.ts'
import { catalogue } from './domain/role.ts'
import { routes } from './routes.ts'

export const createApp = (deps: Deps): App =>
  serviceApp(rbac, routes(deps), deps, { versions: deps.db.versions, catalogue })

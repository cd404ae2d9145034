import type { App } from '@payments/chassis/request/app'
import { businessUnitContract } from '@payments/contracts/services/business-unit/contract'
import { serviceApp } from '@payments/service/app'
import type { Deps } from './deps.ts'
import { routes } from './routes.ts'

export const createApp = (deps: Deps): App => serviceApp(businessUnitContract, routes(deps), deps)

import type { App } from '@payments/chassis/request/app'
import { webhooks } from '@payments/contracts/services/webhooks/contract'
import { serviceApp } from '@payments/service/app'
import type { Deps } from '../deps.ts'
import { requireBusinessUnits } from './business-units.ts'
import { routes } from './routes.ts'

export const createApp = (deps: Deps): App => serviceApp(webhooks, requireBusinessUnits(deps, routes(deps)), deps)

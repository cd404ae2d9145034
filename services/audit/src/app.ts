import type { App } from '@payments/chassis/request/app'
import { audit } from '@payments/contracts/services/audit/contract'
import { serviceApp } from '@payments/service/app'
import type { Deps } from './deps.ts'
import { routes } from './routes.ts'

export const createApp = (deps: Deps): App => serviceApp(audit, routes(deps), deps)

import type { App } from '@payments/chassis/request/app'
import { inviteToPay } from '@payments/contracts/services/invite-to-pay/contract'
import { serviceApp } from '@payments/service/app'
import type { Deps } from './deps.ts'
import { routes } from './routes.ts'

export const createApp = (deps: Deps): App => serviceApp(inviteToPay, routes(deps), deps)

import type { App } from '@payments/chassis/request/app'
import { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import { serviceApp } from '@payments/service/app'
import type { Deps } from './deps.ts'
import { routes } from './routes.ts'

export const createApp = (deps: Deps): App => serviceApp(paymentProxy, routes(deps), deps)

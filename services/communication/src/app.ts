import type { App } from '@payments/chassis/request/app'
import { communicationContract } from '@payments/contracts/services/communication/contract'
import { serviceApp } from '@payments/service/app'
import type { Deps } from './deps.ts'
import { routes } from './routes.ts'

export const createApp = (deps: Deps): App => serviceApp(communicationContract, routes(deps), deps)

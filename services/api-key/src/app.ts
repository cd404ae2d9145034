import type { App } from '@payments/chassis/request/app'
import { apiKey } from '@payments/contracts/services/api-key/contract'
import { serviceApp } from '@payments/service/app'
import type { Deps } from './deps.ts'
import { createRequestCounter } from './request-rates/request-counter.ts'
import { routes } from './routes.ts'

export const createApp = (deps: Deps): App =>
  serviceApp(apiKey, routes(deps), deps, {
    versions: deps.db.versions,
    countRequests: createRequestCounter(deps.db.sql),
  })

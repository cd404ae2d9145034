import { eventProducerConfig } from '@payments/chassis/assertion/event-keys'
import { loadConfig } from '@payments/chassis/base/config'
import { callsConfig, serviceConfig } from '@payments/service/config'
import { z } from 'zod'

export const environment = z.object({
  ...serviceConfig,
  ...callsConfig('api-key', 'identity'),
  ...eventProducerConfig,
})

export type Config = z.output<typeof environment>

export const readConfig = (): Config => loadConfig(environment, process.env)

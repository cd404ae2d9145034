import { eventProducerConfig } from '@payments/chassis/assertion/event-keys'
import { loadConfig } from '@payments/chassis/base/config'
import { callsConfig, serviceConfig } from '@payments/service/config'
import { vaultConfig, vaultConfigIsWhole } from '@payments/vault/config'
import { keyRing } from '@payments/vault/key-ring'
import { z } from 'zod'

export const environment = z
  .object({
    ...serviceConfig,
    ...callsConfig('rbac'),
    ...eventProducerConfig,
    ...vaultConfig,
    API_KEY_PEPPERS: keyRing.describe(
      'JSON: pepper id → base64 of 32 random bytes; HMAC keys of the index of API keys',
    ),
    API_KEY_PEPPER_CURRENT: z.string().describe('id of the pepper that indexes new API keys'),
  })
  .check(...vaultConfigIsWhole)
  .refine((config) => config.API_KEY_PEPPERS.has(config.API_KEY_PEPPER_CURRENT), {
    path: ['API_KEY_PEPPER_CURRENT'],
    message: 'must be the id of one of API_KEY_PEPPERS',
  })

export type Config = z.output<typeof environment>

export const readConfig = (): Config => loadConfig(environment, process.env)

import { client } from '@payments/chassis/client/client'
import { apiKey } from '@payments/contracts/services/api-key/contract'
import { communicationContract } from '@payments/contracts/services/communication/contract'
import { rbac } from '@payments/contracts/services/rbac/contract'
import type { Config } from './config.ts'

const timeoutMs = 2_000

export function connectClients(config: Config) {
  const edge = { self: 'identity', keys: config.ASSERTION_SIGN_KEYS, timeoutMs } as const
  return {
    rbac: client(rbac, { ...edge, baseUrl: config.RBAC_URL }),
    apiKey: client(apiKey, { ...edge, baseUrl: config.API_KEY_URL }),
    communication: client(communicationContract, { ...edge, baseUrl: config.COMMUNICATION_URL }),
  }
}

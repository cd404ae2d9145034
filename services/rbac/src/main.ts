import { client } from '@payments/chassis/client/client'
import { apiKey as apiKeyContract } from '@payments/contracts/services/api-key/contract'
import { identityContract } from '@payments/contracts/services/identity/contract'
import { rbac } from '@payments/contracts/services/rbac/contract'
import { runService } from '@payments/service/run-service'
import { createApp } from './app.ts'
import { readConfig } from './config.ts'
import { startJobs } from './jobs.ts'
import { openDatabase } from './store/database.ts'

await runService({
  contract: rbac,
  readConfig,
  openDatabase,
  deps: ({ config, ...parts }) => {
    const calls = { self: 'rbac', keys: config.ASSERTION_SIGN_KEYS, timeoutMs: 2_000 } as const
    return {
      ...parts,
      apiKey: client(apiKeyContract, { ...calls, baseUrl: config.API_KEY_URL }),
      identity: client(identityContract, { ...calls, baseUrl: config.IDENTITY_URL }),
    }
  },
  jobs: startJobs,
  createApp,
})

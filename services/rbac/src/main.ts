import { client } from '@payments/chassis/client/client'
import { apiKey as apiKeyContract } from '@payments/contracts/services/api-key/contract'
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
  deps: ({ config, ...parts }) => ({
    ...parts,
    apiKey: client(apiKeyContract, {
      self: 'rbac',
      baseUrl: config.API_KEY_URL,
      keys: config.ASSERTION_SIGN_KEYS,
      timeoutMs: 2_000,
    }),
  }),
  jobs: startJobs,
  createApp,
})

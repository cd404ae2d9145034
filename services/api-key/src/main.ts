import { client } from '@payments/chassis/client/client'
import { apiKey } from '@payments/contracts/services/api-key/contract'
import { rbac as rbacContract } from '@payments/contracts/services/rbac/contract'
import { runService } from '@payments/service/run-service'
import { createApp } from './app.ts'
import { readConfig } from './config.ts'
import { startJobs } from './jobs.ts'
import { openKeyValues } from './key-values/key-values.ts'
import { openDatabase } from './store/database.ts'

await runService({
  contract: apiKey,
  readConfig,
  openDatabase,
  deps: ({ config, ...parts }) => ({
    ...parts,
    values: openKeyValues(config, parts.db, parts.metrics.registry),
    rbac: client(rbacContract, {
      self: 'api-key',
      baseUrl: config.RBAC_URL,
      keys: config.ASSERTION_SIGN_KEYS,
      timeoutMs: 2_000,
    }),
  }),
  jobs: startJobs,
  createApp,
})

import { businessUnitContract } from '@payments/contracts/services/business-unit/contract'
import { acceptsTestMode } from '@payments/service/config'
import { runService } from '@payments/service/run-service'
import { openVault } from '@payments/vault/open'
import { createApp } from './app.ts'
import { readConfig, toCardPageRules } from './config.ts'
import { startJobs } from './jobs.ts'
import { openDatabase } from './store/database.ts'

await runService({
  contract: businessUnitContract,
  readConfig,
  openDatabase,
  deps: ({ config, ...parts }) => ({
    ...parts,
    vault: openVault(config, parts.db, parts.metrics.registry),
    destinations: { allowPrivate: config.PAYMENTS_ALLOW_PRIVATE_PROVIDERS },
    cardPages: toCardPageRules(config),
    acceptsTestMode: acceptsTestMode(config),
  }),
  jobs: startJobs,
  createApp,
})

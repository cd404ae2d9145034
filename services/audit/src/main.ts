import { audit } from '@payments/contracts/services/audit/contract'
import { auditQueues } from '@payments/messaging/broker/audit-topology'
import { openQuarantine } from '@payments/messaging/quarantine/open-quarantine'
import { runService } from '@payments/service/run-service'
import { createApp } from './app.ts'
import { readConfig, toSealKeys } from './config.ts'
import { startConsumers } from './consumers.ts'
import { startJobs } from './jobs.ts'
import { createSearches } from './search/searches.ts'
import { openDatabase } from './store/database.ts'

/** A message has up to some hundred records, and one call of an operator holds the messages in memory. */
const messagesMax = 1_000

await runService({
  contract: audit,
  readConfig,
  openDatabase,
  deps: ({ config, broker, ...parts }) => {
    const { metrics } = parts
    return {
      ...parts,
      retentionDays: config.AUDIT_RETENTION_DAYS,
      sealKeys: toSealKeys(config),
      now: () => new Date(),
      searches: createSearches(parts.db),
      quarantine: openQuarantine('audit', { broker, origins: auditQueues, messagesMax, metrics }),
    }
  },
  consumers: (deps, { broker, config }) => startConsumers(deps, { broker, messageKeys: config.AUDIT_MESSAGE_KEYS }),
  jobs: (deps, { config }) => startJobs(deps, config),
  createApp,
})

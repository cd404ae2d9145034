import { webhooks } from '@payments/contracts/services/webhooks/contract'
import { businessUnitConsumers } from '@payments/service/business-units/consumer'
import { openBusinessUnitCopies } from '@payments/service/business-units/copies'
import { runService } from '@payments/service/run-service'
import { openVault } from '@payments/vault/open'
import { createApp } from './api/app.ts'
import { startApiJobs } from './api/jobs.ts'
import { withQueues } from './broker/broker.ts'
import { apiTopology } from './broker/queues.ts'
import { startWaits } from './changes/waits.ts'
import { readApiConfig, toEgressRules } from './config.ts'
import { createDestinations } from './egress/destinations.ts'
import { openDatabase } from './store/database.ts'

await runService({
  contract: webhooks,
  readConfig: readApiConfig,
  openDatabase,
  topology: apiTopology,
  deps: ({ config, broker, ...parts }) => {
    const { deadLetters, quarantine } = withQueues(broker)
    const waits = startWaits(parts)
    parts.work(waits)
    return {
      ...parts,
      vault: openVault(config, parts.db, parts.metrics.registry),
      destinations: createDestinations(toEgressRules(config)),
      businessUnits: openBusinessUnitCopies('webhooks', parts.db, config),
      deadLetters,
      quarantine,
      waits,
    }
  },
  consumers: businessUnitConsumers('webhooks'),
  jobs: startApiJobs,
  createApp,
})

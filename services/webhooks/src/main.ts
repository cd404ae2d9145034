import { createBusinessUnitCopies } from '@payments/business-unit-copies/copies'
import { eventTrustOf } from '@payments/chassis/assertion/event-keys'
import { client } from '@payments/chassis/client/client'
import { businessUnitContract } from '@payments/contracts/services/business-unit/contract'
import { webhooks } from '@payments/contracts/services/webhooks/contract'
import { runService } from '@payments/service/run-service'
import { openVault } from '@payments/vault/open'
import { createApp } from './api/app.ts'
import { startApiConsumers } from './api/consumers.ts'
import { startApiJobs } from './api/jobs.ts'
import { withQueues } from './broker/broker.ts'
import { apiTopology } from './broker/queues.ts'
import { egressOf, readApiConfig } from './config.ts'
import { createDestinations } from './egress/destinations.ts'
import { openDatabase } from './store/database.ts'

await runService({
  contract: webhooks,
  readConfig: readApiConfig,
  openDatabase,
  topology: apiTopology,
  deps: ({ config, broker, ...parts }) => {
    const { deadLetters, quarantine } = withQueues(broker)
    const edge = { self: 'webhooks', keys: config.ASSERTION_SIGN_KEYS, timeoutMs: 2_000 } as const
    const businessUnit = client(businessUnitContract, { ...edge, baseUrl: config.BUSINESS_UNIT_URL })
    return {
      ...parts,
      vault: openVault(config, parts.db, parts.metrics.registry),
      destinations: createDestinations(egressOf(config)),
      businessUnits: createBusinessUnitCopies({ db: parts.db, client: businessUnit }),
      deadLetters,
      quarantine,
    }
  },
  consumers: (deps, { broker, config }) => startApiConsumers(deps, { broker, trust: eventTrustOf(config) }),
  jobs: startApiJobs,
  createApp,
})

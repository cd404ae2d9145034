import { businessUnitQueue, consumeBusinessUnits } from '@payments/business-unit-copies/consumer'
import { createBusinessUnitCopies } from '@payments/business-unit-copies/copies'
import { eventTrustOf } from '@payments/chassis/assertion/event-keys'
import { client } from '@payments/chassis/client/client'
import { quarantineQueues } from '@payments/contracts/endpoints/quarantine'
import { businessUnitContract } from '@payments/contracts/services/business-unit/contract'
import { communicationContract } from '@payments/contracts/services/communication/contract'
import { openQuarantine } from '@payments/messaging/quarantine/open-quarantine'
import { runService } from '@payments/service/run-service'
import { createApp } from './app.ts'
import { ratesOf, readConfig } from './config.ts'
import { startDeliveryLoop } from './delivery/loop.ts'
import { createDeliveryMetrics } from './delivery/metrics.ts'
import { startJobs } from './jobs.ts'
import { chooseProviders } from './providers/choose.ts'
import { openDatabase } from './store/database.ts'

const service = 'communication'

await runService({
  contract: communicationContract,
  readConfig,
  openDatabase,
  deps: ({ config, broker, work, ...parts }) => {
    const { db, log } = parts
    const metrics = parts.metrics.registry
    const edge = { self: service, keys: config.ASSERTION_SIGN_KEYS, timeoutMs: 2_000 } as const
    const businessUnit = client(businessUnitContract, { ...edge, baseUrl: config.BUSINESS_UNIT_URL })
    const providers = chooseProviders(config, db)
    const now = () => new Date()
    const delivery = startDeliveryLoop({ db, providers, now, log, metrics: createDeliveryMetrics(metrics, providers) })
    work(() => delivery.stop())
    const origins = [businessUnitQueue(service)] as const
    return {
      ...parts,
      businessUnits: createBusinessUnitCopies({ db, client: businessUnit }),
      quarantine: openQuarantine({ broker, name: quarantineQueues[service], origins, metrics }),
      providers,
      rates: ratesOf(config),
      delivery,
      showsOutbox: config.ENVIRONMENT === 'dev',
      now,
    }
  },
  consumers: ({ businessUnits: copies, log, metrics }, { broker, config }) => [
    consumeBusinessUnits({ copies, service, broker, trust: eventTrustOf(config), log, metrics: metrics.registry }),
  ],
  jobs: startJobs,
  createApp,
})

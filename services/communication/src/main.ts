import { communicationContract } from '@payments/contracts/services/communication/contract'
import { openQuarantine } from '@payments/messaging/quarantine/open-quarantine'
import { openBusinessUnitCopies } from '@payments/service/business-units/copies'
import { payerHashKeys } from '@payments/service/payers/hashes'
import { runService } from '@payments/service/run-service'
import { createApp } from './app.ts'
import { messageRates, readConfig } from './config.ts'
import { consumedQueues, startConsumers } from './consumers.ts'
import { startDeliveryLoop } from './delivery/loop.ts'
import { countDeliveryAttempts } from './delivery/metrics.ts'
import { communicationQueue, userInvitationQueue } from './delivery/queues.ts'
import { registerErasures } from './erasure/metrics.ts'
import { startJobs } from './jobs.ts'
import { chooseProviders } from './providers/choose.ts'
import { openDatabase } from './store/database.ts'

await runService({
  contract: communicationContract,
  readConfig,
  openDatabase,
  deps: ({ config, broker, work, ...parts }) => {
    const { db, log, metrics } = parts
    const providers = chooseProviders(config, db)
    const now = () => new Date()
    registerErasures({ db, now, metrics })
    const attempts = countDeliveryAttempts(metrics.registry, providers)
    const loops = [communicationQueue, userInvitationQueue].map((queue) =>
      work(startDeliveryLoop({ db, providers, now, log, queue, attempts })),
    )
    return {
      ...parts,
      businessUnits: openBusinessUnitCopies('communication', db, config),
      payerHashKeys: payerHashKeys(config),
      quarantine: openQuarantine('communication', { broker, origins: consumedQueues, metrics }),
      providers,
      rates: messageRates(config),
      delivery: { wake: () => loops.forEach((loop) => loop.wake()) },
      showsOutbox: config.ENVIRONMENT === 'dev',
      now,
    }
  },
  consumers: startConsumers,
  jobs: startJobs,
  createApp,
})

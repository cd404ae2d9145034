import { inviteToPay } from '@payments/contracts/services/invite-to-pay/contract'
import { openQuarantine } from '@payments/messaging/quarantine/open-quarantine'
import { openBusinessUnitCopies } from '@payments/service/business-units/copies'
import { acceptsTestMode } from '@payments/service/config'
import { payerHashKeys } from '@payments/service/payers/hashes'
import { runService } from '@payments/service/run-service'
import { openVault } from '@payments/vault/open'
import { createApp } from './app.ts'
import { connectClients } from './clients.ts'
import { readConfig } from './config.ts'
import { consumedQueues, startConsumers } from './consumers.ts'
import { startJobs } from './jobs.ts'
import { createPaymentsInProgress } from './payment/in-progress.ts'
import { startSendingLoop } from './sending/loop.ts'
import { countMessageAttempts } from './sending/metrics.ts'
import { openDatabase } from './store/database.ts'

await runService({
  contract: inviteToPay,
  readConfig,
  openDatabase,
  deps: ({ config, broker, work, ...parts }) => {
    const { db, log } = parts
    const metrics = parts.metrics.registry
    const deps = {
      ...parts,
      ...connectClients(config),
      vault: openVault(config, db, metrics),
      businessUnits: openBusinessUnitCopies('invite-to-pay', db, config),
      payerHashKeys: payerHashKeys(config),
      quarantine: openQuarantine('invite-to-pay', { broker, origins: consumedQueues, metrics: parts.metrics }),
      payBaseUrl: config.PAY_BASE_URL,
      cardPageOrigin: config.CARD_PAGE_ORIGIN ?? null,
      acceptsTestMode: acceptsTestMode(config),
    }
    const sending = work(startSendingLoop({ ...deps, attempts: countMessageAttempts(metrics) }))
    const inProgress = work(createPaymentsInProgress({ log, metrics }))
    return { ...deps, sending, inProgress }
  },
  consumers: startConsumers,
  jobs: startJobs,
  createApp,
})

import { businessUnitQueue } from '@payments/business-unit-copies/consumer'
import { createBusinessUnitCopies } from '@payments/business-unit-copies/copies'
import { eventTrustOf } from '@payments/chassis/assertion/event-keys'
import { quarantineQueues } from '@payments/contracts/endpoints/quarantine'
import { inviteToPay } from '@payments/contracts/services/invite-to-pay/contract'
import { openQuarantine } from '@payments/messaging/quarantine/open-quarantine'
import { acceptsTestMode } from '@payments/service/config'
import { runService } from '@payments/service/run-service'
import { openVault } from '@payments/vault/open'
import { createApp } from './app.ts'
import { connectClients } from './clients.ts'
import { readConfig } from './config.ts'
import { startConsumers, transactionQueue } from './consumers.ts'
import { startJobs } from './jobs.ts'
import { createPaymentsInProgress } from './payment/in-progress.ts'
import { startSendingLoop } from './sending/loop.ts'
import { createSendingMetrics } from './sending/metrics.ts'
import { openDatabase } from './store/database.ts'

await runService({
  contract: inviteToPay,
  readConfig,
  openDatabase,
  deps: ({ config, broker, work, ...parts }) => {
    const { db, log } = parts
    const metrics = parts.metrics.registry
    const { businessUnit, ...clients } = connectClients(config)
    const origins = [transactionQueue, businessUnitQueue('invite-to-pay')] as const
    const deps = {
      ...parts,
      ...clients,
      vault: openVault(config, db, metrics),
      businessUnits: createBusinessUnitCopies({ db, client: businessUnit }),
      quarantine: openQuarantine({ broker, name: quarantineQueues['invite-to-pay'], origins, metrics }),
      payBaseUrl: config.PAY_BASE_URL,
      acceptsTestMode: acceptsTestMode(config),
    }
    const sending = startSendingLoop({ ...deps, metrics: createSendingMetrics(metrics) })
    work(() => sending.stop())
    const inProgress = createPaymentsInProgress({ log, metrics })
    work(() => inProgress.stop())
    return { ...deps, sending, inProgress }
  },
  consumers: (deps, { broker, config }) => startConsumers(deps, { broker, trust: eventTrustOf(config) }),
  jobs: startJobs,
  createApp,
})

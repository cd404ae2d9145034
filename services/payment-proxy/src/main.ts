import { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import { openQuarantine } from '@payments/messaging/quarantine/open-quarantine'
import { createBusinessUnitCopies } from '@payments/service/business-units/copies'
import { acceptsTestMode } from '@payments/service/config'
import { runService } from '@payments/service/run-service'
import { createApp } from './app.ts'
import { connectClients } from './clients.ts'
import { readConfig } from './config.ts'
import { openProviderCalls } from './connectors/open-provider-calls.ts'
import { createRequestRates } from './connectors/rates.ts'
import { consumedQueues, startConsumers } from './consumers.ts'
import { startJobs } from './jobs.ts'
import { registerOpenWork } from './operation/metrics.ts'
import { createProviderPermits } from './operation/provider-permits.ts'
import { createQuarantinedEvents } from './operation/quarantined-events.ts'
import { openDatabase } from './store/database.ts'

await runService({
  contract: paymentProxy,
  readConfig,
  openDatabase,
  deps: ({ config, broker, resource, ...parts }) => {
    const { businessUnit: client, inviteToPay } = connectClients(config)
    const units = createBusinessUnitCopies({ ...parts, client })
    const { providerCalls, close } = openProviderCalls({ ...parts, config, units, client })
    resource(close)
    const now = () => new Date()
    registerOpenWork({ ...parts, now })
    return {
      ...parts,
      providerCalls,
      providerPermits: createProviderPermits(),
      ...createRequestRates(),
      units,
      inviteToPay,
      quarantine: openQuarantine('payment-proxy', { broker, origins: consumedQueues, metrics: parts.metrics }),
      quarantinedEvents: createQuarantinedEvents({ ...parts, now }),
      acceptsTestMode: acceptsTestMode(config),
      payBaseUrl: config.PAY_BASE_URL,
      now,
    }
  },
  consumers: startConsumers,
  jobs: startJobs,
  createApp,
})

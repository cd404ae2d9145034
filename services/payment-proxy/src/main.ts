import { businessUnitQueue, consumeBusinessUnits } from '@payments/business-unit-copies/consumer'
import { createBusinessUnitCopies } from '@payments/business-unit-copies/copies'
import { eventTrustOf } from '@payments/chassis/assertion/event-keys'
import { quarantineQueues } from '@payments/contracts/endpoints/quarantine'
import { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import { openQuarantine } from '@payments/messaging/quarantine/open-quarantine'
import { acceptsTestMode } from '@payments/service/config'
import { runService } from '@payments/service/run-service'
import { createApp } from './app.ts'
import { connectClients } from './clients.ts'
import { egressOf, readConfig } from './config.ts'
import { openProvider } from './connectors/open-provider.ts'
import { startJobs } from './jobs.ts'
import { registerOpenWork } from './operation/metrics.ts'
import { createProviderPermits } from './operation/provider-permits.ts'
import { openDatabase } from './store/database.ts'

const service = 'payment-proxy'

await runService({
  contract: paymentProxy,
  readConfig,
  openDatabase,
  deps: ({ config, broker, resource, ...parts }) => {
    const { db, log, metrics } = parts
    const { businessUnit, inviteToPay } = connectClients(config)
    const units = createBusinessUnitCopies({ db, client: businessUnit })
    const connecting = { databaseUrl: config.DATABASE_URL, egress: egressOf(config), units, client: businessUnit }
    const { provider, close } = openProvider({ ...connecting, log, metrics })
    resource(close)
    const now = () => new Date()
    registerOpenWork({ db, now, metrics })
    const quarantined = { name: quarantineQueues[service], origins: [businessUnitQueue(service)] } as const
    return {
      ...parts,
      provider,
      providerPermits: createProviderPermits(),
      units,
      inviteToPay,
      quarantine: openQuarantine({ broker, ...quarantined, metrics: metrics.registry }),
      acceptsTestMode: acceptsTestMode(config),
      now,
    }
  },
  consumers: ({ units: copies, log, metrics }, { broker, config }) => [
    consumeBusinessUnits({ copies, service, broker, trust: eventTrustOf(config), log, metrics: metrics.registry }),
  ],
  jobs: startJobs,
  createApp,
})

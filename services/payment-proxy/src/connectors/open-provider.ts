import type { Log } from '@payments/chassis/observability/log'
import type { Metrics } from '@payments/chassis/process/metrics'
import { createHttpClient } from '@payments/egress/http-client'
import { type Config, egressOptions } from '../config.ts'
import { openDatabase } from '../store/database.ts'
import { type AccountsOptions, createAccounts } from './accounts.ts'
import { createHttpConnector } from './http/http-connector.ts'
import { createProvider, type Provider } from './provider.ts'
import { createSandbox } from './sandbox.ts'
import { createStripeConnector } from './stripe/stripe-connector.ts'

const providerTimeoutMs = 15_000
const sandboxConnectionsMax = 10

export interface OpenProviderOptions extends AccountsOptions {
  /** The sandbox has its ledger in the database of the service. */
  readonly config: Config
  readonly log: Log
  readonly metrics: Metrics
}

/** The provider of a process, with every connector. */
export function openProvider(options: OpenProviderOptions): { provider: Provider; close: () => Promise<void> } {
  const { config, units, client, log, metrics } = options
  // Like an external provider, the sandbox has its own connections: all those of the service may wait for locks.
  const sandboxDb = openDatabase(config.DATABASE_URL, { connectionsMax: sandboxConnectionsMax })
  const http = createHttpClient(egressOptions(config))
  const provider = createProvider({
    connectors: {
      sandbox: createSandbox(sandboxDb, { ownOrigin: config.PAY_BASE_URL, now: () => new Date() }),
      http: createHttpConnector(http),
      stripe: createStripeConnector(http),
    },
    accounts: createAccounts({ units, client }),
    timeoutMs: providerTimeoutMs,
    actionRules: { allowPrivate: config.PAYMENTS_ALLOW_PRIVATE_PROVIDERS, ownOrigin: config.PAY_BASE_URL },
    log,
    metrics,
  })
  return {
    provider,
    close: async () => {
      http.close()
      await sandboxDb.close()
    },
  }
}

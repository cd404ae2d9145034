import { createHttpClient } from '@payments/egress/http-client'
import { type Config, egressOptions } from '../config.ts'
import { openDatabase } from '../store/database.ts'
import { type AccountsOptions, createAccounts } from './accounts.ts'
import { createHttpConnector } from './http/http-connector.ts'
import { createProviderCalls, type ProviderOptions } from './provider-calls.ts'
import { createSandbox } from './sandbox.ts'
import { createStripeConnector } from './stripe/stripe-connector.ts'

const providerTimeoutMs = 15_000
const sandboxConnectionsMax = 10

interface OpenProviderOptions extends AccountsOptions, Required<Pick<ProviderOptions, 'log' | 'metrics'>> {
  /** The sandbox has its ledger in the database of the service. */
  readonly config: Config
}

/** The provider of a process, with every connector. */
export function openProviderCalls({ config, units, client, log, metrics }: OpenProviderOptions) {
  // Like an external provider, the sandbox has its own connections: all those of the service may wait for locks.
  const sandboxDb = openDatabase(config.DATABASE_URL, { connectionsMax: sandboxConnectionsMax })
  const http = createHttpClient(egressOptions(config))
  const providerCalls = createProviderCalls({
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
    providerCalls,
    close: async () => {
      http.close()
      await sandboxDb.close()
    },
  }
}

import { identityContract } from '@payments/contracts/services/identity/contract'
import { runService } from '@payments/service/run-service'
import { openVault } from '@payments/vault/open'
import { createApp } from './app.ts'
import { connectClients } from './clients.ts'
import { readConfig } from './config.ts'
import { startJobs } from './jobs.ts'
import { startMailLoop } from './mail/loop.ts'
import { countMailAttempts } from './mail/metrics.ts'
import { sessionTokens } from './session/session-tokens.ts'
import { sessionValues } from './session/session-values.ts'
import { openSignInProviders } from './sign-in/openid-providers.ts'
import { openDatabase } from './store/database.ts'

const minuteMs = 60_000

await runService({
  contract: identityContract,
  readConfig,
  openDatabase,
  deps: ({ config, work, resource, ...parts }) => {
    const { ENVIRONMENT: environment, SESSION_PEPPERS: keys, SESSION_PEPPER_CURRENT: current } = config
    const providers = openSignInProviders(config, parts.log)
    resource(async () => providers.close())
    const deps = {
      ...parts,
      ...connectClients(config),
      environment,
      consoleOrigin: config.CONSOLE_ORIGIN,
      vault: openVault(config, parts.db, parts.metrics.registry),
      sessionValues: sessionValues(environment, { keys, current }),
      sessionTokens: sessionTokens(environment, config.SESSION_TOKEN_KEYS, config.SESSION_TOKEN_KEY_CURRENT),
      sessionLimits: {
        idleMs: config.SESSION_IDLE_MINUTES * minuteMs,
        lifetimeMs: config.SESSION_MINUTES_MAX * minuteMs,
      },
      providers,
    }
    const mails = work(startMailLoop({ ...deps, attempts: countMailAttempts(parts.metrics.registry) }))
    return { ...deps, mails }
  },
  jobs: startJobs,
  createApp,
})

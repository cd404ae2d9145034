import { createLog } from '@payments/chassis/log'
import { createMetrics } from '@payments/chassis/metrics'
import { createFastServer, listen, run, stopServer } from '@payments/chassis/serve'
import { createApp } from './app.ts'
import { readConfig } from './config.ts'
import { openDatabase } from './store/database.ts'

await run(async () => {
  const config = readConfig()
  const log = createLog('rbac', config.LOG_LEVEL)
  const db = openDatabase(config.DATABASE_URL)
  const app = createApp({ db, keys: config.ASSERTION_VERIFY_KEYS, log, metrics: createMetrics('rbac') })
  const server = createFastServer(app)
  const port = await listen(server, { host: config.HOST, port: config.PORT })
  log.info({ port }, 'listening')
  return {
    log,
    drain: async () => {
      await stopServer(server)
      await db.close()
    },
  }
})

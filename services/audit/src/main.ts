import { run } from '@payments/chassis/process/run'
import { auditQueue } from '@payments/contracts/edges/audit-line'
import { quarantineQueues } from '@payments/contracts/endpoints/quarantine'
import { quarantineMetrics } from '@payments/messaging/broker/metrics'
import { openOperatorCalls } from '@payments/messaging/outbox/operator-calls'
import { openQuarantine } from '@payments/messaging/quarantine/open-quarantine'
import { createApp } from './app.ts'
import { openBroker } from './broker/broker.ts'
import { directoryExporter } from './checkpoints/directory-exporter.ts'
import { readConfig, sealKeysOf } from './config.ts'
import { startConsumers } from './consumers.ts'
import { startCheckpointExport, startJobs } from './jobs.ts'
import { openDatabase } from './store/database.ts'

/** A message has up to some hundred records, and one call of an operator holds the messages in memory. */
const messagesMax = 1_000

await run('audit', readConfig, async ({ config, log, metrics, serve, work, resource }) => {
  const db = openDatabase(config.DATABASE_URL)
  resource(() => db.close())
  const address = { url: config.AMQP_URL, prefix: config.MESSAGING_PREFIX }
  const broker = await openBroker(address, log)
  resource(() => broker.close())
  const publishing = { broker: address, producer: config.AUDIT_MESSAGE_KEY, log, metrics: metrics.registry }
  const operatorCalls = await openOperatorCalls({ db: db.sql, ...publishing })
  resource(() => operatorCalls.close())
  const quarantined = { name: quarantineQueues.audit, origins: [auditQueue.name], messagesMax } as const
  const { quarantine, close } = await openQuarantine({ broker: address, log, ...quarantined })
  resource(close)
  quarantineMetrics(metrics.registry, quarantine)
  const deps = {
    db,
    retentionDays: config.AUDIT_RETENTION_DAYS,
    sealKeys: sealKeysOf(config),
    now: () => new Date(),
    keys: config.ASSERTION_VERIFY_KEYS,
    brokerCheck: broker.check,
    quarantine,
    log,
    metrics,
  }
  const consumer = startConsumers(deps, { ...broker, messageKeys: config.AUDIT_MESSAGE_KEYS })
  const jobs = startJobs(deps, config.AUDIT_SEAL_INTERVAL_MS)
  const { AUDIT_CHECKPOINT_DIRECTORY: directory, AUDIT_CHECKPOINT_INTERVAL_MS: intervalMs } = config
  if (directory !== undefined) jobs.push(startCheckpointExport(deps, directoryExporter(directory), intervalMs))
  for (const each of [consumer, ...jobs]) work(() => each.stop())
  await serve(createApp(deps), config)
})

import { within } from '@payments/chassis/base/deadline'
import type { SqlTx } from '@payments/chassis/database/transaction'
import { registerGauge } from '@payments/chassis/process/metrics'
import { everyResting, type Resting, type Scheduled } from '@payments/chassis/process/schedule'
import type { OperatorCalls } from '@payments/chassis/request/operator-calls'
import { type AuditProducer, encodeAuditLine, signAuditMessage } from '@payments/contracts/edges/audit-line'
import { type AuditRecord, auditRecord } from '@payments/contracts/services/audit/contract'
import type { Logger } from 'pino'
import { Counter, type Registry } from 'prom-client'
import { v7 as uuidv7 } from 'uuid'
import { auditAddress } from '../broker/audit-topology.ts'
import type { Broker } from '../broker/broker.ts'
import { Publisher } from '../broker/publisher.ts'

/**
 * **What it does.** Stores audit records of operators' calls in the database of the service that ran them, and
 * publishes them to the audit queue. `operatorCallsIn` stores; `startOperatorCalls` publishes, signs, and deletes
 * confirmed ones.
 *
 * **Participants.** The router, which begins and completes; the table `operator_calls`, identical in each
 * schema.prisma; the publishing loops of all replicas, each of which leases the rows it publishes.
 *
 * **Guarantees.** A record survives a crash of the process and an outage of the broker, as an event in the outbox does.
 * A call whose process was killed is published after `abandonedAfterMs`, with the code `outcome_unknown`.
 *
 * **Not guaranteed.** That a record is published once: the audit service deduplicates by id.
 */
export const operatorCallModel = `model OperatorCall {
  id          String    @id @db.Uuid
  record      Json
  startedAt   DateTime  @default(now()) @map("started_at") @db.Timestamptz(3)
  completedAt DateTime? @map("completed_at") @db.Timestamptz(3)
  leasedUntil DateTime? @map("leased_until") @db.Timestamptz(3)

  @@map("operator_calls")
}`

/** Longer than any call: payctl waits 60 s, and every server closes a slower request. */
const abandonedAfterMs = 10 * 60_000
const leaseMs = 30_000
const batchMax = 100
/** While the broker is away, after a failure, after a batch that is not full, and after a stored record. */
const pollMs = 1_000
/** While this process stores no record. A completed one of a killed process waits as long, after its lease. */
const restMs = 30_000
const stopTimeoutMs = 8_000

const beginSql = 'INSERT INTO operator_calls (id, record) VALUES ($1::uuid, $2::jsonb)'

const completeSql = `
  INSERT INTO operator_calls (id, record, completed_at) VALUES ($1::uuid, $2::jsonb, clock_timestamp())
  ON CONFLICT (id) DO UPDATE SET record = excluded.record, completed_at = excluded.completed_at`

const claimSql = `
  UPDATE operator_calls SET leased_until = clock_timestamp() + $1::int * interval '1 millisecond'
  WHERE id = ANY (ARRAY(
    SELECT id FROM operator_calls
    WHERE (completed_at IS NOT NULL OR started_at < clock_timestamp() - $2::int * interval '1 millisecond')
      AND (leased_until IS NULL OR leased_until < clock_timestamp())
    ORDER BY started_at LIMIT $3::int FOR UPDATE SKIP LOCKED
  )) RETURNING id::text, record::text`

const deleteSql = `
  DELETE FROM operator_calls WHERE id IN (SELECT value::uuid FROM jsonb_array_elements_text($1::text::jsonb))`

/** The publishing loops of this process, by the database whose records they publish. */
const loops = new WeakMap<SqlTx, Pick<Resting, 'soon'>>()

/** The store of the router. */
export function operatorCallsIn(db: SqlTx): OperatorCalls {
  return {
    begin: async (record: AuditRecord): Promise<void> => {
      await db.$executeRawUnsafe(beginSql, record.id, JSON.stringify(record))
    },
    complete: async (record: AuditRecord): Promise<void> => {
      await db.$executeRawUnsafe(completeSql, record.id, JSON.stringify(record))
      loops.get(db)?.soon()
    },
  }
}

export interface OperatorCallsOptions {
  readonly db: SqlTx
  readonly broker: Pick<Broker, 'prefix' | 'publishing'>
  readonly producer: AuditProducer
  readonly log: Logger
  readonly metrics: Registry
  readonly abandonedAfterMs?: number
}

/**
 * Starts to publish. `stop` waits for the current batch; the next start publishes the remaining records. The publisher
 * has its own channel: while the exchange of audit does not exist, the broker closes that channel, and the events of
 * the process must not wait for it.
 */
export function startOperatorCalls(options: OperatorCallsOptions): Scheduled {
  const { broker, log } = options
  const publisher = new Publisher({ connection: broker.publishing, topology: [], log })
  const published = registerMetrics(options)
  let isFailing = false
  let isStopping = false
  const publishing = everyResting({ intervalMs: pollMs, restMs }, 'publish-operator-calls', log, async () => {
    if (!publisher.ready().ready) return publishing.soon()
    try {
      let count: number
      do {
        count = await publishBatch(options, publisher)
        published.inc(count)
      } while (count === batchMax && !isStopping)
      if (isFailing) log.info('audit records of operators are published again')
      isFailing = false
      if (count > 0) publishing.soon()
    } catch (err) {
      if (!isFailing) log.warn({ err }, 'cannot publish audit records of operators; the records wait in the database')
      isFailing = true
      publishing.soon()
    }
  })
  loops.set(options.db, publishing)
  return {
    stop: async () => {
      isStopping = true
      await within(stopTimeoutMs, 'the current batch of operator records', publishing.stop())
      await publisher.close()
    },
  }
}

/** Returns the number of records that were published and deleted. */
async function publishBatch(options: OperatorCallsOptions, publisher: Publisher): Promise<number> {
  const { db, broker, producer } = options
  const rows = await db.$queryRawUnsafe<{ id: string; record: string }[]>(
    claimSql,
    leaseMs,
    options.abandonedAfterMs ?? abandonedAfterMs,
    batchMax,
  )
  if (rows.length === 0) return 0
  const body = Buffer.from(rows.map(({ record }) => encodeAuditLine(auditRecord.parse(JSON.parse(record)))).join(''))
  const headers = signAuditMessage(producer, body)
  await publisher.publish({ ...auditAddress(broker.prefix), body, messageId: uuidv7(), headers })
  await db.$executeRawUnsafe(deleteSql, JSON.stringify(rows.map(({ id }) => id)))
  return rows.length
}

function registerMetrics({ db, metrics }: OperatorCallsOptions): Counter {
  registerGauge(metrics, {
    name: 'operator_calls_waiting',
    help: 'Unpublished audit records of operators, including calls in progress',
    read: async () => {
      const [row] = await db.$queryRawUnsafe<[{ count: number }]>('SELECT count(*)::int AS count FROM operator_calls')
      return row.count
    },
  })
  return new Counter({
    name: 'operator_calls_published_total',
    help: 'Audit records of operators that the broker confirmed',
    registers: [metrics],
  })
}

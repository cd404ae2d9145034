/** The setup of the audit benchmark: a private database, a private prefix on the broker, and replicas. */
import { type ChildProcess, fork } from 'node:child_process'
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { newId } from '@payments/chassis/base/id'
import { createLog } from '@payments/chassis/observability/log'
import { encodeAuditLine, signAuditMessage } from '@payments/contracts/edges/audit-line'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import { serviceFlags } from '@payments/devkit/platform/process-plan'
import { withClient } from '@payments/devkit/servers/databases'
import { auditAddress, auditQueues, auditTopology } from '@payments/messaging/broker/audit-topology'
import { openBroker } from '@payments/messaging/broker/broker'
import { named } from '@payments/messaging/broker/topology'
import { privateBroker } from '@payments/testing/broker/broker'
import { privateDatabase } from '@payments/testing/database/database'
import { divideIntoMessages } from '#gateway/audit/audit-messages'
import { endProcess, requirePid, until } from '../measure/child-process.ts'

export interface AuditSetup {
  readonly databaseName: string
  readonly pids: readonly number[]
  /** Publishes a range of records as a gateway does, and waits for the confirms. */
  readonly publish: (records: readonly AuditRecord[]) => Promise<unknown>
  readonly stored: () => Promise<number>
  /** Waits until `count` records are stored in all. */
  readonly untilStored: (count: number) => Promise<void>
  /** Waits until all stored records are sealed. */
  readonly untilSealed: () => Promise<void>
  /** Pauses the replicas, or lets them continue. */
  readonly signal: (signal: 'SIGSTOP' | 'SIGCONT') => void
  readonly close: () => Promise<void>
}

const newKey = () => randomBytes(32).toString('base64')
const main = join(import.meta.dirname, '..', '..', '..', 'services', 'audit', 'dist', 'main.js')

export async function setUpAudit(replicas: number): Promise<AuditSetup> {
  const database = await privateDatabase('audit')
  const { url, prefix, discard } = await privateBroker()
  const log = createLog('bench', 'fatal')
  const broker = await openBroker({ url, prefix, name: 'bench', topology: auditTopology(prefix), log })
  const messageKey = newKey()
  const producer = { name: 'gateway', key: createSecretKey(Buffer.from(messageKey, 'base64')) }
  const environment = {
    ENVIRONMENT: 'dev',
    LOG_LEVEL: 'fatal',
    PORT: '0',
    INTERNAL_PORT: '0',
    DATABASE_URL: database.url,
    AMQP_URL: url,
    MESSAGING_PREFIX: prefix,
    AUDIT_MESSAGE_KEY: JSON.stringify({ audit: newKey() }),
    AUDIT_MESSAGE_KEYS: JSON.stringify({ gateway: messageKey }),
    AUDIT_SEAL_KEYS: JSON.stringify({ bench: newKey() }),
    AUDIT_SEAL_KEY_CURRENT: 'bench',
    ASSERTION_VERIFY_KEYS: JSON.stringify({ gateway: newKey(), payctl: newKey() }),
  }
  const children: ChildProcess[] = Array.from({ length: replicas }, () =>
    fork(main, { env: { ...process.env, ...environment }, execArgv: [...serviceFlags] }),
  )
  const sumChains = (expression: string) =>
    withClient(database.ownerUrl, async (client) => {
      await client.query(`SET app.tenant_id = '*'`)
      const sql = `SELECT coalesce(sum(${expression}), 0)::int AS count FROM audit_chains`
      return (await client.query<{ count: number }>(sql)).rows[0]?.count ?? 0
    })
  const stored = () => sumChains('head_position')
  return {
    databaseName: new URL(database.url).pathname.slice(1),
    pids: children.map(requirePid),
    publish: (records) => {
      const messages = divideIntoMessages(Buffer.from(records.map(encodeAuditLine).join('')))
      const confirmed = messages.map(({ queue, body }) => {
        const headers = signAuditMessage(producer, body)
        return broker.publisher.publish({ ...auditAddress(prefix, queue), body, messageId: newId(), headers })
      })
      return Promise.all(confirmed)
    },
    stored,
    untilStored: (count) => until(async () => (await stored()) >= count),
    untilSealed: () => until(async () => (await sumChains('head_position - sealed_position')) === 0),
    signal: (signal) => {
      for (const child of children) child.kill(signal)
    },
    close: async () => {
      for (const child of children) child.kill('SIGCONT')
      await Promise.all(children.map((child) => endProcess(child)))
      await broker.close()
      await discard({ queues: [...auditQueues, 'audit.quarantine'].map((name) => named(prefix, name)) })
      await database.drop()
    },
  }
}

/** The record of a GET with an API key. */
export function buildRecord(tenantId: string): AuditRecord {
  return {
    id: newId(),
    occurred_at: new Date().toISOString(),
    trace_id: randomUUID(),
    tenant_id: tenantId,
    actor: { type: 'api_key', id: randomUUID() },
    client: null,
    method: 'GET',
    path: '/v1/webhooks/event-types',
    operation: 'listEventTypes',
    permission: 'webhooks:ReadSubscription',
    outcome: 'success',
    status: 200,
    code: null,
    ip: '203.0.113.7',
    user_agent: 'payments-client/0.2 node/24',
    duration_ms: 1.234,
    client_gone: false,
    count: 1,
  }
}

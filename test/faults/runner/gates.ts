import { withClient } from '@payments/devkit/servers/databases'
import { until } from '../../until.ts'

/**
 * Gates are points in a database transaction at which sessions wait, so that a test kills a process exactly there. Each
 * has an advisory lock of its database.
 */
const gates = {
  /** In webhooks: the attempt was made and is about to be recorded. */
  recordAttempt: { key: 7_001, event: 'INSERT', table: 'attempts', when: '' },
  /** In a service with an outbox: a verb has written its rows and is about to write its event. */
  emitEvent: { key: 7_002, event: 'INSERT', table: 'outbox_events', when: '' },
  /** In a service with an outbox: the broker has confirmed the event, and the relay is about to put that down. */
  settleEvent: {
    key: 7_003,
    event: 'UPDATE',
    table: 'outbox_events',
    when: 'WHEN (OLD.published_at IS DISTINCT FROM NEW.published_at)',
  },
  /** In payment-proxy: the sandbox has received an operation, and it has not taken effect. */
  executeOperation: { key: 7_004, event: 'INSERT', table: 'sandbox_operations', when: '' },
  /** In payment-proxy: the provider has responded, and the outcome is about to be recorded. */
  recordOutcome: {
    key: 7_005,
    event: 'UPDATE',
    table: 'operations',
    when: 'WHEN (OLD.due_at IS NOT NULL AND NEW.due_at IS NULL)',
  },
  /** In payment-proxy: an operation is about to be stored, before the provider is called. */
  startOperation: { key: 7_006, event: 'INSERT', table: 'operations', when: '' },
  /** In payment-proxy: the payer has decided at the bank of the sandbox, which is about to be stored. */
  decideAtBank: {
    key: 7_013,
    event: 'UPDATE',
    table: 'sandbox_operations',
    when: `WHEN (OLD.state::text = 'action_required' AND NEW.state::text <> 'action_required')`,
  },
  /** In invite-to-pay: the bank of the payer is known, and about to be stored. */
  recordConfirmation: {
    key: 7_014,
    event: 'UPDATE',
    table: 'codes',
    when: 'WHEN (OLD.confirmation IS NULL AND NEW.confirmation IS NOT NULL)',
  },
  /** In invite-to-pay: a payer has returned from the bank, and the outcome is about to be requested. */
  returnFromBank: {
    key: 7_015,
    event: 'UPDATE',
    table: 'codes',
    when: 'WHEN (OLD.confirmation_synced_at IS DISTINCT FROM NEW.confirmation_synced_at)',
  },
  /** In invite-to-pay: a code is about to be stored. */
  createCode: { key: 7_007, event: 'INSERT', table: 'codes', when: '' },
  /** In invite-to-pay: a payer is about to claim a code. */
  claimCode: {
    key: 7_008,
    event: 'UPDATE',
    table: 'codes',
    when: `WHEN (OLD.status <> 'processing' AND NEW.status = 'processing')`,
  },
  /** In invite-to-pay: the outcome of a payment is known, and about to be recorded. */
  settleCode: {
    key: 7_009,
    event: 'UPDATE',
    table: 'codes',
    when: `WHEN (OLD.status = 'processing' AND NEW.status <> 'processing')`,
  },
  /** In invite-to-pay: communication has a message, and that is about to be recorded. */
  handOver: {
    key: 7_010,
    event: 'UPDATE',
    table: 'messages',
    when: 'WHEN (OLD.due_at IS NOT NULL AND NEW.due_at IS NULL)',
  },
  /** In communication: a message is about to be stored. */
  queueMessage: { key: 7_011, event: 'INSERT', table: 'communications', when: '' },
  /** In communication: the provider has accepted a message, and that is about to be recorded. */
  recordSent: {
    key: 7_012,
    event: 'UPDATE',
    table: 'communications',
    when: 'WHEN (OLD.status <> NEW.status)',
  },
} as const
export type GateName = keyof typeof gates

export async function buildGates(url: string, names: readonly GateName[]): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(`
      CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock_shared(TG_ARGV[0]::bigint);
        RETURN NEW;
      END $$`)
    for (const name of names) {
      const { key, event, table, when } = gates[name]
      const body = `BEFORE ${event} ON ${table} FOR EACH ROW ${when} EXECUTE FUNCTION wait_at_gate('${key}')`
      await client.query(`CREATE TRIGGER gate_${name.toLowerCase()} ${body}`)
    }
  })
}

const waitingSql = `FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/**
 * Closes a gate while `work` runs, which can read the number of waiting sessions. At the end the sessions that still
 * wait are terminated: they belong to a killed process.
 */
export async function whileClosed(
  url: string,
  name: GateName,
  work: (waiting: () => Promise<number>) => Promise<void>,
): Promise<void> {
  await withClient(url, async (keeper) => {
    await keeper.query('SELECT pg_advisory_lock($1)', [gates[name].key])
    await work(async () => {
      const { rows } = await keeper.query<{ count: number }>(`SELECT count(*)::int AS count ${waitingSql}`)
      return rows[0]?.count ?? 0
    })
    await keeper.query(`SELECT pg_terminate_backend(pid) ${waitingSql}`)
    await until('end of the sessions', async () => (await keeper.query(`SELECT 1 ${waitingSql}`)).rowCount === 0)
  })
}

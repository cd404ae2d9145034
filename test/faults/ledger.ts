import { withClient } from '@payments/devkit/databases'
import { until } from './until.ts'

/**
 * The committed events, independent of the relay: a trigger copies each event into a table of the test, in the
 * transaction of its verb. Gates are points in a transaction at which sessions wait, so that a test kills a process
 * exactly there.
 */
export interface CommittedEvent {
  readonly id: string
  readonly type: string
  readonly tenantId: string
  readonly businessUnitId: string | null
  readonly at: Date
}

/** The position of the ledger of each database. */
export type Mark = ReadonlyMap<string, number>

export interface Ledger {
  readonly mark: () => Promise<Mark>
  readonly between: (from: Mark, to: Mark) => Promise<CommittedEvent[]>
}

const ledgerSql = `
  CREATE TABLE ledger (n bigserial PRIMARY KEY, id uuid UNIQUE NOT NULL, type text NOT NULL, tenant_id uuid NOT NULL, business_unit_id uuid,
    at timestamptz NOT NULL DEFAULT clock_timestamp());
  CREATE FUNCTION keep_in_ledger() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    INSERT INTO ledger (id, type, tenant_id, business_unit_id) VALUES (NEW.id, NEW.type, NEW.tenant_id, NEW.business_unit_id);
    RETURN NEW;
  END $$;
  CREATE TRIGGER keep_in_ledger AFTER INSERT ON outbox_events FOR EACH ROW EXECUTE FUNCTION keep_in_ledger();`

/** `urls`: of the databases that have an outbox, as an administrator. */
export async function openLedger(urls: readonly string[]): Promise<Ledger> {
  for (const url of urls) await withClient(url, (client) => client.query(ledgerSql))
  return {
    async mark() {
      const mark = new Map<string, number>()
      for (const url of urls) {
        const { rows } = await withClient(url, (client) =>
          client.query<{ n: number }>('SELECT coalesce(max(n), 0)::int AS n FROM ledger'),
        )
        mark.set(url, rows[0]?.n ?? 0)
      }
      return mark
    },
    async between(from, to) {
      const events: CommittedEvent[] = []
      for (const url of urls) {
        const { rows } = await withClient(url, (client) =>
          client.query<CommittedEvent>(
            `SELECT id, type, tenant_id AS "tenantId", business_unit_id AS "businessUnitId", at FROM ledger
             WHERE n > $1 AND n <= $2 ORDER BY n`,
            [from.get(url) ?? 0, to.get(url) ?? 0],
          ),
        )
        events.push(...rows)
      }
      return events
    },
  }
}

/** Points at which sessions wait; each has an advisory lock of its database. */
export const gates = {
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

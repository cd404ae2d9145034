import { withClient } from '@payments/devkit/servers/databases'

/**
 * The committed events, independent of the relay: a trigger copies each event into a table of the test, in the
 * transaction of its verb.
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

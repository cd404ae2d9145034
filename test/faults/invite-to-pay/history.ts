import { withClient } from '@payments/devkit/servers/databases'

/** A state of a code, as it was stored. */
export interface CodeState {
  readonly codeId: string
  readonly status: string
  readonly paymentId: string | null
  readonly claimedAt: Date | null
  readonly expiresAt: Date
  readonly at: Date
}

const historySql = `
  CREATE TABLE code_history (n bigserial PRIMARY KEY, code_id uuid NOT NULL, status text NOT NULL, payment_id uuid,
    claimed_at timestamptz, expires_at timestamptz NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp());
  CREATE FUNCTION keep_history() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    INSERT INTO code_history (code_id, status, payment_id, claimed_at, expires_at)
      VALUES (NEW.id, NEW.status, NEW.payment_id, NEW.claimed_at, NEW.expires_at);
    RETURN NEW;
  END $$;
  CREATE TRIGGER keep_history AFTER INSERT OR UPDATE ON codes FOR EACH ROW EXECUTE FUNCTION keep_history();`

/** Keeps every state of every code from now on: a trigger copies it in the transaction of its verb. */
export const keepHistory = (url: string) => withClient(url, (client) => client.query(historySql))

/** The states of all codes, oldest first. `url`: the database of invite-to-pay, as an administrator. */
export async function readHistory(url: string): Promise<readonly CodeState[]> {
  const { rows } = await withClient(url, (client) =>
    client.query<CodeState>(
      `SELECT code_id AS "codeId", status, payment_id AS "paymentId", claimed_at AS "claimedAt",
         expires_at AS "expiresAt", at
       FROM code_history ORDER BY n`,
    ),
  )
  return rows
}

/**
 * The bare loop of `npm run bench payments`, a separate process: the least that any payment must write. The intent is
 * committed before a provider would be called, the outcome and its event in one transaction afterwards. Each is one
 * prepared statement, hence one transaction and one round trip. Nothing else is read, checked or published.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { serveParent } from '../measure/child-process.ts'

export interface BarePaymentsRequest {
  /** Of a database with the tables of payments/bare-loop.ts. */
  readonly url: string
  readonly connections: number
  readonly seconds: number
}

export interface BarePaymentsResult {
  readonly payments: number
  readonly perSecond: number
}

const insertIntent = {
  name: 'insert_intent',
  text: `INSERT INTO bare_operations (id, tenant_id, amount, state) VALUES ($1, $2, $3, 'in_progress')`,
}

const storeOutcome = {
  name: 'store_outcome',
  text: `
    WITH completed AS (
      UPDATE bare_operations SET state = 'succeeded', completed_at = now() WHERE id = $1 AND tenant_id = $2
      RETURNING tenant_id
    )
    INSERT INTO bare_events (id, tenant_id, type, payload) SELECT $3, tenant_id, 'bare.authorize', $4 FROM completed`,
}

const tenantId = randomUUID()
const payload = JSON.stringify({ note: 'x'.repeat(1_000) })
/** Open until the end of the process, so that the parent can read the CPU of their sessions. */
const clients: pg.Client[] = []

serveParent<object, BarePaymentsRequest, BarePaymentsResult>({}, run)

async function run({ url, connections, seconds }: BarePaymentsRequest): Promise<BarePaymentsResult> {
  while (clients.length < connections) {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    clients.push(client)
  }
  let payments = 0
  const from = performance.now()
  const work = async (client: pg.Client) => {
    for (; performance.now() < from + seconds * 1_000; payments += 1) await pay(client)
  }
  await Promise.all(clients.slice(0, connections).map(work))
  return { payments, perSecond: (payments * 1_000) / (performance.now() - from) }
}

async function pay(client: pg.Client): Promise<void> {
  const id = randomUUID()
  await client.query({ ...insertIntent, values: [id, tenantId, 1_999] })
  const { rowCount } = await client.query({ ...storeOutcome, values: [id, tenantId, randomUUID(), payload] })
  if (rowCount !== 1) throw new Error(`${id} has no outcome`)
}

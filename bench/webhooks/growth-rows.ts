import { withClient } from '@payments/devkit/servers/databases'

const batchRows = 50_000

/** Inserts delivered deliveries with an attempt each, evenly over the last 30 days and over all subscriptions. */
export async function insertStoredDeliveries(url: string, count: number): Promise<void> {
  if (count === 0) return
  await withClient(url, async (client) => {
    await client.query(`SET app.tenant_id = '*'`)
    await client.query('SELECT webhooks_make_partitions(30, 7)')
    for (let from = 0; from < count; from += batchRows) {
      await client.query(insertSql, [from, Math.min(count, from + batchRows), count, Buffer.alloc(500, 'x')])
    }
    await client.query('ANALYZE')
  })
}

/** The id of a delivery is a UUIDv7 of the time of its event. */
const insertSql = `
  WITH numbered AS (
    SELECT n, now() - n * interval '30 days' / $3::int AS at FROM generate_series($1::int, $2::int - 1) n
  ), s AS (
    SELECT *, row_number() OVER () - 1 AS number, count(*) OVER () AS total FROM subscriptions
  ), inserted AS (
    INSERT INTO deliveries (id, tenant_id, subscription_id, business_unit_id, tenant_event_id, event_type, occurred_at,
      trace_id, body, status, attempt_count, schedule_position)
    SELECT overlay(gen_random_uuid()::text PLACING
        regexp_replace(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0'), '^(.{8})', '\\1-') || '-7'
        FROM 1)::uuid,
      s.tenant_id, s.id, s.business_unit_id, gen_random_uuid(), 'a.b', at, gen_random_uuid(), $4::bytea, 'delivered', 1,
      1
    FROM numbered JOIN s ON s.number = n % s.total RETURNING id, tenant_id, occurred_at
  )
  INSERT INTO attempts (delivery_id, number, tenant_id, started_at, duration_ms, status_code, response_truncated, timings)
  SELECT id, 1, tenant_id, occurred_at, 5, 200, false, '{}' FROM inserted`

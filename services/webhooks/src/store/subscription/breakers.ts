import type { SqlTx as Sql } from '@payments/chassis/database/transaction'

/**
 * The circuit breakers of destinations. store/delivery/backlog.ts has their backlogs, packages/egress the rules of
 * their URLs, and egress/destinations.ts checks a URL.
 */

/**
 * Opens the breaker of a destination. One delivery probes it after `probeAfterMs`. False when the breaker was not
 * closed.
 */
export async function openBreaker(
  sql: Sql,
  tenantId: string,
  subscriptionId: string,
  probeAfterMs: number,
): Promise<boolean> {
  const changed = await sql.$executeRawUnsafe(
    `INSERT INTO destinations AS t (subscription_id, tenant_id, breaker, opened_at, probe_at)
     VALUES ($1::uuid, $2::uuid, 'open', now(), now() + $3::int * interval '1 millisecond')
     ON CONFLICT (subscription_id) DO UPDATE SET breaker = 'open', opened_at = excluded.opened_at, probe_at = excluded.probe_at,
       probe_delivery_id = NULL
     WHERE t.breaker = 'closed'`,
    subscriptionId,
    tenantId,
    probeAfterMs,
  )
  return changed === 1
}

/**
 * Closes the breaker after a successful probe, or opens it for another `probeAfterMs`. No change when a newer probe
 * runs.
 */
export async function settleProbe(
  sql: Sql,
  tenantId: string,
  probe: { readonly subscriptionId: string; readonly id: string; readonly succeeded: boolean },
  probeAfterMs: number,
): Promise<void> {
  await sql.$executeRawUnsafe(
    `UPDATE destinations SET probe_delivery_id = NULL, breaker = (CASE WHEN $4 THEN 'closed' ELSE 'open' END)::"Breaker",
       opened_at = CASE WHEN NOT $4 THEN opened_at END, probe_at = CASE WHEN NOT $4 THEN now() + $5::int * interval '1 millisecond' END
     WHERE subscription_id = $1::uuid AND tenant_id = $2::uuid AND probe_delivery_id = $3::uuid AND breaker = 'half_open'`,
    probe.subscriptionId,
    tenantId,
    probe.id,
    probe.succeeded,
    probeAfterMs,
  )
}

/** Makes the probe of an open breaker due at once. False when the breaker is not open. */
export async function advanceProbe(sql: Sql, tenantId: string, subscriptionId: string): Promise<boolean> {
  const changed = await sql.$executeRawUnsafe(
    `UPDATE destinations SET probe_at = now()
     WHERE subscription_id = $1::uuid AND tenant_id = $2::uuid AND breaker = 'open' AND probe_at > now()`,
    subscriptionId,
    tenantId,
  )
  return changed === 1
}

import type { SqlTx as Sql } from '@payments/chassis/database/transaction'
import type { WorkItem } from '../../domain/delivery/delivery.ts'
import { type Backlog, idRange } from './backlog.ts'
import { among, type Claimed, claimedRowSql, claimedSql, targetFromSql, targetSql } from './claim.ts'

export interface ClaimedDelivery extends WorkItem, Claimed {}

/** How many deliveries of a backlog to claim. */
export interface BacklogClaim {
  readonly backlog: Backlog
  readonly capacity: number
}

/** A CTE: the first waiting deliveries of each backlog `g`, in an order by `d.id`, where the condition is true. */
const waitingSql = (isWanted: string, order: string) => `AS MATERIALIZED (
    SELECT o.id AS picked_id, g."subscriptionId", g.probe FROM given g CROSS JOIN LATERAL (
      SELECT d.id FROM deliveries d
      WHERE ${isWanted} AND d.subscription_id = g."subscriptionId" AND d.backlogged AND d.id BETWEEN $2::uuid AND $3::uuid
      ORDER BY ${order} LIMIT g.capacity FOR UPDATE SKIP LOCKED) o)`

/** `coalesce(d.subscription_id, …)` is in no index: the rows are found by their ids, not among the whole backlog. */
const claimFromBacklogsSql = `
  WITH given AS MATERIALIZED (
    SELECT *, probe AND random() < 0.5 AS newest
    FROM jsonb_to_recordset($1::jsonb) AS r("subscriptionId" uuid, probe boolean, capacity int)
  ), oldest ${waitingSql('NOT g.newest', 'd.id')}, newest ${waitingSql('g.newest', 'd.id DESC')},
  picked AS MATERIALIZED (SELECT * FROM oldest UNION ALL SELECT * FROM newest), half_open AS MATERIALIZED (
    SELECT subscription_id, picked_id FROM destinations JOIN picked ON probe AND subscription_id = "subscriptionId"
    WHERE breaker = 'half_open' ORDER BY subscription_id FOR UPDATE OF destinations), probing AS (
    UPDATE destinations t SET probe_delivery_id = picked_id FROM half_open h WHERE t.subscription_id = h.subscription_id
  ), targets AS MATERIALIZED (
    SELECT g."subscriptionId" AS target_id, ${targetSql('g.probe')} FROM given g ${targetFromSql('g."subscriptionId"')}
  )
  UPDATE deliveries d SET ${claimedSql('now()')}
  FROM targets WHERE coalesce(d.subscription_id, d.id) = target_id AND ${among('SELECT picked_id FROM picked')}
    AND d.id BETWEEN $2::uuid AND $3::uuid
  RETURNING ${claimedRowSql}`

/**
 * Change `claimed` of the oldest deliveries of each backlog. Half of the probes send the newest one: a receiver that
 * rejects the oldest ones may accept others. Several dispatchers share a backlog.
 */
export function claimFromBacklogs(sql: Sql, claims: readonly BacklogClaim[]): Promise<ClaimedDelivery[]> {
  const { from, to } = idRange(claims.map(({ backlog }) => backlog))
  const items = claims.map(({ backlog: { subscriptionId, probe }, capacity }) => ({ subscriptionId, probe, capacity }))
  return sql.$queryRawUnsafe(claimFromBacklogsSql, JSON.stringify(items), from, to)
}

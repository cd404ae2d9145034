import type { Caller, CallerWith } from '@payments/chassis/base/caller'
import { readStatistics, readUsage } from '@payments/chassis/database/hourly-counts'
import { missingPayloadPermission } from '@payments/contracts/edges/payload-permissions'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { uuid } from '@payments/contracts/grammar/field'
import {
  cursorAt,
  idBefore,
  type Page,
  type PageQuery,
  pageAt,
  positionBehind,
  positionInstant,
} from '@payments/contracts/grammar/page'
import { parseMonth, parsePeriod } from '@payments/contracts/grammar/period'
import { Problem } from '@payments/contracts/grammar/problem'
import { searchedPage } from '@payments/contracts/grammar/searched-page'
import { problems, type webhooks } from '@payments/contracts/services/webhooks/contract'
import {
  type Delivery,
  type DeliveryWithAttempts,
  deliveryStatuses,
} from '@payments/contracts/services/webhooks/delivery'
import type { PayloadPermission } from '@payments/contracts/services/webhooks/payload'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import {
  type DeliveryFilter,
  presentDelivery,
  presentDeliveryWithAttempts,
  type StoredDelivery,
} from '../domain/delivery/delivery.ts'
import { listLatestAttempts, readBody } from '../store/delivery/deliveries.ts'
import { listOfTenant, listOfUnit } from '../store/delivery/delivery-lists.ts'
import { findDelivery } from '../store/delivery/delivery-rows.ts'

/** The deliveries of a business unit by the instants of their events. */
export async function listDeliveries(
  deps: Deps,
  { tenantId }: Caller,
  businessUnitId: string,
  filter: DeliveryFilter,
  { cursor, limit }: PageQuery,
): Promise<Page<Delivery>> {
  const before = idBefore(cursor)
  const found = await deps.db.inTenant(tenantId, (tx) =>
    listOfUnit(tx, tenantId, { ...filter, businessUnitId }, { before, limit }),
  )
  return searchedPage(found, limit, presentDelivery)
}

const position = z.tuple([positionInstant, uuid])

/** The deliveries of every business unit by their creation. */
export async function listTenantDeliveries(
  deps: Deps,
  { tenantId }: Caller,
  filter: DeliveryFilter,
  { cursor, limit }: PageQuery,
): Promise<Page<Delivery>> {
  const before = positionBehind(cursor, position)
  const { rows, searchedTo } = await deps.db.inTenant(tenantId, (tx) =>
    listOfTenant(tx, tenantId, filter, { before, limit }),
  )
  const toPosition = ({ createdAt, id }: StoredDelivery) => [createdAt.toISOString(), id]
  const page = pageAt(rows, limit, toPosition, presentDelivery)
  return searchedTo === null ? page : { ...page, next_cursor: page.next_cursor ?? cursorAt(searchedTo) }
}

/** Throws delivery_not_found. */
export function readDelivery(
  deps: Deps,
  caller: CallerWith<PayloadPermission>,
  businessUnitId: string,
  deliveryId: string,
): Promise<DeliveryWithAttempts> {
  const { tenantId, permissions } = caller
  return deps.db.readInTenant(tenantId, async (tx) => {
    const delivery = await findDelivery(tx, tenantId, businessUnitId, deliveryId)
    if (delivery === null) throw new Problem(problems.delivery_not_found)
    const attempts = await listLatestAttempts(tx, tenantId, deliveryId)
    const body = await readBody(tx, tenantId, deliveryId)
    const missing = missingPayloadPermission(delivery.eventType, permissions)
    return presentDeliveryWithAttempts(delivery, body, attempts, missing)
  })
}

type StatisticsQuery = RequestOf<typeof webhooks.endpoints.readDeliveryStatistics>['query']

/** Throws invalid_request for a period that is empty or too long. */
export function readDeliveryStatistics(deps: Deps, { tenantId }: Caller, query: StatisticsQuery) {
  const period = parsePeriod(query, new Date())
  const selection = { statuses: deliveryStatuses, unitId: query.business_unit_id }
  return deps.db.readInTenant(tenantId, (tx) => readStatistics(tx, tenantId, period, selection))
}

/** Counts what the business units of the calling tenant used in a month. */
export function readDeliveryUsage(deps: Deps, { tenantId }: Caller, name: string | undefined) {
  const month = parseMonth(name, new Date())
  return deps.db.readInTenant(tenantId, (tx) => readUsage(tx, tenantId, month))
}

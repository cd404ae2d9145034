import type { AssertionKeys } from '@payments/chassis/assertion/assertion'
import { createPermits } from '@payments/chassis/base/fair-permits'
import { createSingleFlight } from '@payments/chassis/base/single-flight'
import { type Client, client } from '@payments/chassis/client/client'
import type { SqlTx, Transactions } from '@payments/chassis/database/transaction'
import type { EventMessage } from '@payments/contracts/grammar/event'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { businessUnitContract } from '@payments/contracts/services/business-unit/contract'
import { requireActive, type UnitCopy } from '@payments/contracts/services/business-unit/unit-copy'
import type { z } from 'zod'
import { type ChangedRecords, mergeIntoCopy, selectCopy, storeCopy } from './copy-row.ts'

interface CopyContext {
  readonly tenantId: string
  readonly traceId: string
}

export interface BusinessUnitCopies {
  /**
   * The copy of a business unit of the tenant, deleted units included. May call business-unit, so never inside a
   * transaction. Throws business_unit_not_found, service_unavailable.
   */
  find(context: CopyContext, businessUnitId: string): Promise<UnitCopy>
  /**
   * The business unit as business-unit has it now, stored as the copy. For a request that the copy rejects: its event
   * may be on the way. Never inside a transaction. Throws business_unit_not_found, service_unavailable.
   */
  current(context: CopyContext, businessUnitId: string): Promise<UnitCopy>
  /** As `find`. Throws business_unit_deleted too. */
  requireActive(context: CopyContext, businessUnitId: string): Promise<UnitCopy>
  /** Applies an event of a business unit or of a payment orchestrator. Throws invalid_request for any other event. */
  apply(event: EventMessage): Promise<void>
}

export interface BusinessUnitCopiesOptions {
  readonly db: Pick<Transactions<SqlTx>, 'inTenant' | 'pipelined'>
  readonly client: Pick<Client<typeof businessUnitContract>, 'findBusinessUnit'>
}

const unitsPerTenantMax = 4

/**
 * **What it does.** Keeps copies of business units in the database of a service. business-unit is called only for a
 * unit without one.
 *
 * **Guarantees.**
 * - A copy exists only for a unit that business-unit has found for this tenant. Any other costs one call and leaves no
 *   row.
 * - A record never returns to a lower `version`, in any order of events and calls.
 * - `apply` is idempotent, and stores a unit without a copy, so no call that read earlier hides an event.
 * - `current` reads a unit once for all concurrent callers, at most `unitsPerTenantMax` of a tenant at a time.
 *
 * **Not guaranteed.** A current copy: events arrive later, and those before the queue existed are missed.
 */
export function createBusinessUnitCopies({ db, client }: BusinessUnitCopiesOptions): BusinessUnitCopies {
  const fetchUnit = async ({ tenantId, traceId }: CopyContext, businessUnitId: string): Promise<UnitCopy> => {
    const params = { tenant_id: tenantId, business_unit_id: businessUnitId }
    const found = await client.findBusinessUnit({ traceId }, { params })
    const { tenant_id: owner, business_unit: businessUnit, payment_orchestrators: paymentOrchestrators } = found
    if (owner !== tenantId || businessUnit.id !== businessUnitId) {
      throw new Error(`business-unit sent unit ${businessUnit.id} of ${owner} for ${businessUnitId} of ${tenantId}`)
    }
    return db.inTenant(tenantId, (tx) => storeCopy(tx, { tenantId, businessUnit, paymentOrchestrators }))
  }
  const singleFlight = createSingleFlight<UnitCopy>()
  const permits = createPermits({ permitsMax: Number.POSITIVE_INFINITY, perSubjectMax: unitsPerTenantMax })
  const find = async (context: CopyContext, businessUnitId: string): Promise<UnitCopy> => {
    const { tenantId } = context
    const [[stored] = []] = await db.pipelined<UnitCopy[][]>(tenantId, [selectCopy(tenantId, businessUnitId)])
    return stored ?? fetchUnit(context, businessUnitId)
  }
  return {
    find,
    current: (context, businessUnitId) =>
      singleFlight(`${context.tenantId}/${businessUnitId}`, async () => {
        const release = permits.tryAcquire(context.tenantId)
        if (release === undefined) {
          const detail = 'Too many business units of the tenant are read at the moment'
          throw new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds: 1 })
        }
        return fetchUnit(context, businessUnitId).finally(release)
      }),
    requireActive: async (context, businessUnitId) => {
      const copy = await find(context, businessUnitId)
      requireActive(copy)
      return copy
    },
    apply: async (event) => {
      const { businessUnitId, changed } = readChange(event)
      const tenantId = event.tenant_id
      const merged = await db.inTenant(tenantId, (tx) => mergeIntoCopy(tx, tenantId, businessUnitId, changed))
      if (merged === null) await fetchUnit({ tenantId, traceId: event.trace_id }, businessUnitId)
    },
  }
}

type Caller = (typeof businessUnitContract)['endpoints']['findBusinessUnit']['callers'][number]

interface CallerConfig {
  readonly BUSINESS_UNIT_URL: string
  readonly ASSERTION_SIGN_KEYS: AssertionKeys
}

const timeoutMs = 2_000

/** The copies of `service`, with a client of business-unit. */
export function openBusinessUnitCopies(
  service: Caller,
  db: BusinessUnitCopiesOptions['db'],
  { BUSINESS_UNIT_URL: baseUrl, ASSERTION_SIGN_KEYS: keys }: CallerConfig,
): BusinessUnitCopies {
  return createBusinessUnitCopies({
    db,
    client: client(businessUnitContract, { self: service, baseUrl, keys, timeoutMs }),
  })
}

const { events } = businessUnitContract
const unitPayload = events['business-unit.business-units.update'].payload
const orchestratorPayload = events['business.unit.payment.orchestrator.update'].payload

function readChange({ type, payload }: EventMessage): { businessUnitId: string; changed: ChangedRecords } {
  if (type.startsWith('business-unit.business-units.')) {
    const { business_unit: businessUnit } = parsePayload(unitPayload, type, payload)
    return { businessUnitId: businessUnit.id, changed: { businessUnit, paymentOrchestrators: [] } }
  }
  const { payment_orchestrator: orchestrator } = parsePayload(orchestratorPayload, type, payload)
  return { businessUnitId: orchestrator.business_unit_id, changed: { paymentOrchestrators: [orchestrator] } }
}

/** A payload of another shape has the same shape at each delivery, so it is a Problem: the message is quarantined. */
function parsePayload<S extends z.ZodType>(schema: S, type: string, payload: unknown): z.output<S> {
  const result = schema.safeParse(payload)
  if (result.success) return result.data
  const detail = `The event ${type} does not have the documented payload`
  throw new Problem(commonProblems.invalid_request, { detail, cause: result.error })
}

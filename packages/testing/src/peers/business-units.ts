/**
 * Business units for tests of the services that use them: rows of copies, and a peer that responds as business-unit
 * does.
 */
import { createSecretKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import { type Client, client } from '@payments/chassis/client/client'
import type { SqlTx, Transactions } from '@payments/chassis/database/transaction'
import { createLog } from '@payments/chassis/observability/log'
import { createMetrics } from '@payments/chassis/process/metrics'
import { createAppServer, listen, stopServer } from '@payments/chassis/process/serve'
import { createServiceApp } from '@payments/chassis/request/app'
import type { EventMessage } from '@payments/contracts/grammar/event'
import { Problem } from '@payments/contracts/grammar/problem'
import { businessUnitProblems } from '@payments/contracts/problems/business-unit'
import {
  type BusinessUnit,
  businessUnitContract,
  type FoundUnit,
  type PaymentOrchestrator,
} from '@payments/contracts/services/business-unit/contract'
import { keysOfEveryProcess } from '../calls/edges.ts'

export interface GivenUnit {
  readonly tenantId: string
  readonly businessUnitId: string
  readonly status?: BusinessUnit['status']
  readonly version?: number
  /** Default: an active sandbox, the default of the unit. */
  readonly orchestrators?: readonly Partial<PaymentOrchestrator>[]
}

export function buildUnit({
  tenantId,
  businessUnitId,
  status = 'active',
  version = 1,
  ...given
}: GivenUnit): FoundUnit {
  const { orchestrators = [{}] } = given
  return {
    tenant_id: tenantId,
    business_unit: {
      id: businessUnitId,
      name: `Unit ${businessUnitId}`,
      timezone_name: 'UTC',
      default_currency: null,
      default_locale: null,
      branding: { display_name: null, logo_url: null, primary_color: null, support_email: null },
      communication: { from_name: null, reply_to: null },
      status,
      version,
      ...times,
    },
    payment_orchestrators: orchestrators.map((one, index) => buildOrchestrator(businessUnitId, index === 0, one)),
  }
}

const times = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' }

function buildOrchestrator(
  businessUnitId: string,
  isDefault: boolean,
  given: Partial<PaymentOrchestrator>,
): PaymentOrchestrator {
  return {
    id: randomUUID(),
    business_unit_id: businessUnitId,
    name: 'Sandbox',
    payment_gateway: 'sandbox',
    mode: 'test',
    gateway_url: null,
    iframe_url: null,
    tokenizer_url: null,
    gateway_authentication_fingerprint: null,
    card_page_trusted: false,
    payment_methods: null,
    currencies: null,
    is_default: isDefault,
    status: 'active',
    settings: {},
    version: 1,
    ...times,
    ...given,
  }
}

/** Writes the copy of a unit, as an event would have, in place of an earlier one. Returns its records. */
export async function insertUnit(db: Pick<Transactions<SqlTx>, 'inTenant'>, given: GivenUnit): Promise<FoundUnit> {
  const unit = buildUnit(given)
  const { text, values } = copyStatement(unit)
  await db.inTenant(given.tenantId, (tx) => tx.$executeRawUnsafe(text, ...values))
  return unit
}

/** Writes the copy of the unit that an event names, as earlier events did. Returns the event. */
export async function insertUnitForTenant(
  db: Pick<Transactions<SqlTx>, 'inTenant'>,
  event: EventMessage,
): Promise<EventMessage> {
  const { business_unit: unit, payment_orchestrator: orchestrator } = event.payload as {
    readonly business_unit?: { readonly id: string }
    readonly payment_orchestrator?: { readonly business_unit_id: string }
  }
  const businessUnitId = unit?.id ?? orchestrator?.business_unit_id
  if (businessUnitId !== undefined) await insertUnit(db, { tenantId: event.tenant_id, businessUnitId, version: 0 })
  return event
}

/** The statement of `insertUnit`, for a client of pg. */
export function copyStatement(unit: FoundUnit): { text: string; values: string[] } {
  const { tenant_id: tenantId, business_unit: businessUnit, payment_orchestrators: orchestrators } = unit
  return {
    text: `INSERT INTO business_unit_copies (business_unit_id, tenant_id, business_unit, payment_orchestrators)
      VALUES ($1::uuid, $2::uuid, $3::jsonb, $4::jsonb)
      ON CONFLICT (business_unit_id) DO UPDATE
        SET business_unit = excluded.business_unit, payment_orchestrators = excluded.payment_orchestrators`,
    values: [businessUnit.id, tenantId, JSON.stringify(businessUnit), JSON.stringify(orchestrators)],
  }
}

/** The unit, or null for a unit that the tenant does not have. */
export type FindUnit = (tenantId: string, businessUnitId: string) => Promise<FoundUnit | null>

export interface BusinessUnitPeer {
  /** It only responds to `findBusinessUnit`. */
  readonly client: Pick<Client<typeof businessUnitContract>, 'findBusinessUnit' | 'readGatewayAuthentication'>
  /** The key of the assertions of `client`. */
  readonly key: KeyObject
  /** The number of calls. */
  readonly calls: () => number
  readonly stop: () => Promise<void>
}

/** Listens, and responds to `findBusinessUnit` as business-unit does. The client calls as the process `self`. */
export async function businessUnitPeer(
  self: 'webhooks' | 'payment-proxy' | 'communication' | 'invite-to-pay',
  find: FindUnit,
): Promise<BusinessUnitPeer> {
  const { service } = businessUnitContract
  const { findBusinessUnit } = businessUnitContract.endpoints
  const contract = { ...businessUnitContract, endpoints: { findBusinessUnit } }
  const key = createSecretKey(randomBytes(32))
  const log = createLog(service, 'silent')
  let calls = 0
  const handlers = {
    findBusinessUnit: async (_: unknown, { params }: { params: { tenant_id: string; business_unit_id: string } }) => {
      calls += 1
      const found = await find(params.tenant_id, params.business_unit_id)
      if (found === null) throw new Problem(businessUnitProblems.business_unit_not_found)
      return found
    },
  }
  const operatorCalls = { begin: unreachable, complete: unreachable }
  const app = createServiceApp({
    contract,
    handlers,
    keys: keysOfEveryProcess(key),
    operatorCalls,
    log,
    metrics: createMetrics(service),
    readiness: { required: {} },
  })
  const server = createAppServer(app)
  const baseUrl = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}`
  return {
    client: client<typeof businessUnitContract, string>(businessUnitContract, {
      self,
      baseUrl,
      keys: new Map([[service, key]]),
      timeoutMs: 30_000,
    }),
    key,
    calls: () => calls,
    stop: () => stopServer(server, 0),
  }
}

function unreachable(): never {
  throw new Error('no operator calls this endpoint')
}

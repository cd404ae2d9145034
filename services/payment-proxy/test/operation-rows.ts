import { randomUUID } from 'node:crypto'
import type { TestTenant, World } from './world.ts'

/** Each verb that changes transactions, with its success and every failure. */
type Act = (tenant: TestTenant, id: string) => ReturnType<TestTenant['read']>
/** Returns what `act` gets. */
type Given = (tenant: TestTenant, world: World) => Promise<string>

const given = (token: string, body: object = {}): Given => {
  return async (tenant) => (await tenant.authorize(token, body)).body.id
}
const created = async (tenant: TestTenant) => (await tenant.create()).body.id
const authorized = given('visa')
const captured = given('visa', { capture: true })
const inProgress = given('unknown_forever')
const waiting = given('challenge', { return_url: 'https://shop.example.com' })
const withoutUnit = async (tenant: TestTenant) => {
  const id = await created(tenant)
  await tenant.storeUnit({ unit: { status: 'deleted' }, orchestrators: [{ id: tenant.paymentOrchestratorId }] })
  return id
}
const withoutOrchestrator = async (tenant: TestTenant) => {
  const id = await created(tenant)
  await tenant.storeUnit({ orchestrators: [{ id: tenant.paymentOrchestratorId, status: 'inactive' }] })
  return id
}
const thenCaptured = (token: string): Given => given(token, { capture: true })
const missing: Given = async () => randomUUID()

/** A creation names the unit that these return, also as another tenant. */
const unit = async (tenant: TestTenant) => {
  await tenant.storeUnit({ orchestrators: [{ id: tenant.paymentOrchestratorId }] })
  return tenant.businessUnitId
}
const deletedUnit = async (tenant: TestTenant) => {
  await withoutUnit(tenant)
  return tenant.businessUnitId
}
const unusableUnit = async (tenant: TestTenant) => {
  await withoutOrchestrator(tenant)
  return tenant.businessUnitId
}
const usedReference = async (tenant: TestTenant) => {
  await tenant.create({ external_reference: 'order' })
  return tenant.businessUnitId
}
const ofOtherAmount = { transaction: { transaction_items: [{ name: 'Cup', unit_amount: 1, quantity: 1 }] } }
const create = (tenant: TestTenant, id: string, body: object = {}) =>
  tenant.create({ business_unit_id: id, external_reference: 'order', ...body })
const authorize = (tenant: TestTenant, id: string, token = 'visa', body: object = {}) =>
  tenant.authorize(token, { business_unit_id: id, external_reference: 'order', ...body })

const dayMs = 24 * 60 * 60 * 1_000
/** `{transaction id}/operations/{operation id}` of the last operation. */
const withOperationId = (before: Given): Given => {
  return async (tenant, world) => {
    const id = await before(tenant, world)
    return `${id}/operations/${(await tenant.read(id)).body.operations?.at(-1)?.id ?? randomUUID()}`
  }
}
const unknownOperation = withOperationId(given('timeout_applied'))
const inReview: Given = async (tenant, world) => {
  const path = await unknownOperation(tenant, world)
  world.advanceClock(dayMs)
  return path
}
const resolved: Given = async (tenant, world) => {
  const path = await inReview(tenant, world)
  await resolve(tenant, path)
  return path
}
const resolve = (tenant: TestTenant, path: string, outcome = 'succeeded') =>
  tenant.send('post', `/v1/payment-proxy/transactions/${path}/resolve`, { outcome, note: 'Seen in the report' })

interface Row {
  readonly given: Given
  readonly act: Act
  readonly status: string
  /** Default: 200. */
  readonly created?: 201
  /** The problem of another tenant. Default: transaction_not_found. */
  readonly missing?: string
  readonly event: string
  readonly failures: readonly [given: Given, act: Act, status: number, code: string, ...events: string[]][]
}

export const rows: Record<string, Row> = {
  create: {
    given: unit,
    act: create,
    status: 'pending',
    created: 201,
    missing: 'business_unit_not_found',
    event: 'create',
    failures: [
      [missing, create, 404, 'business_unit_not_found'],
      [deletedUnit, create, 409, 'business_unit_deleted'],
      [unusableUnit, create, 422, 'payment_orchestrator_unusable'],
      [usedReference, create, 409, 'external_reference_taken'],
      [unit, (tenant, id) => create(tenant, id, { amount: undefined }), 400, 'invalid_request'],
      [unit, (tenant, id) => create(tenant, id, ofOtherAmount), 400, 'amount_mismatch'],
      [unit, (tenant, id) => create(tenant, id, { i2p: true }), 400, 'invalid_request'],
    ],
  },
  authorize: {
    given: unit,
    act: authorize,
    status: 'authorized',
    created: 201,
    missing: 'business_unit_not_found',
    event: 'authorize',
    failures: [
      [missing, authorize, 404, 'business_unit_not_found'],
      [deletedUnit, authorize, 409, 'business_unit_deleted'],
      [unusableUnit, authorize, 422, 'payment_orchestrator_unusable'],
      [usedReference, authorize, 409, 'external_reference_taken'],
      [unit, (tenant, id) => authorize(tenant, id, 'visa', { amount: undefined }), 400, 'invalid_request'],
      [unit, (tenant, id) => authorize(tenant, id, 'visa', ofOtherAmount), 400, 'amount_mismatch'],
      [unit, (tenant, id) => authorize(tenant, id, 'nothing'), 422, 'unknown_payment_token'],
      [unit, (tenant, id) => authorize(tenant, id, 'declined'), 402, 'payment_declined', 'create', 'authorize.failed'],
      [
        unit,
        (tenant, id) => authorize(tenant, id, 'unreachable'),
        502,
        'provider_unreachable',
        'create',
        'authorize.failed',
      ],
    ],
  },
  'authorize with capture': {
    given: unit,
    act: (tenant, id) => authorize(tenant, id, 'visa', { capture: true }),
    status: 'captured',
    created: 201,
    missing: 'business_unit_not_found',
    event: 'authorize.and.capture',
    failures: [
      [
        unit,
        (tenant, id) => authorize(tenant, id, 'capture_declined', { capture: true }),
        402,
        'payment_declined',
        'create',
        'authorize.and.capture.failed',
      ],
    ],
  },
  complete: {
    given: created,
    act: (tenant, id) => tenant.complete(id),
    status: 'authorized',
    event: 'authorize',
    failures: [
      [missing, (tenant, id) => tenant.complete(id), 404, 'transaction_not_found'],
      [authorized, (tenant, id) => tenant.complete(id), 409, 'invalid_transaction_state'],
      [inProgress, (tenant, id) => tenant.complete(id), 409, 'operation_in_progress'],
      [waiting, (tenant, id) => tenant.complete(id), 409, 'operation_in_progress'],
      [withoutUnit, (tenant, id) => tenant.complete(id), 409, 'business_unit_deleted'],
      [withoutOrchestrator, (tenant, id) => tenant.complete(id), 422, 'payment_orchestrator_unusable'],
      [created, (tenant, id) => tenant.complete(id, 'nothing'), 422, 'unknown_payment_token'],
      [created, (tenant, id) => tenant.complete(id, 'declined'), 402, 'payment_declined', 'authorize.failed'],
      [created, (tenant, id) => tenant.complete(id, 'unreachable'), 502, 'provider_unreachable', 'authorize.failed'],
    ],
  },
  'complete with capture': {
    given: created,
    act: (tenant, id) => tenant.complete(id, 'visa', { capture: true }),
    status: 'captured',
    event: 'authorize.and.capture',
    failures: [
      [
        created,
        (tenant, id) => tenant.complete(id, 'capture_declined', { capture: true }),
        402,
        'payment_declined',
        'authorize.and.capture.failed',
      ],
    ],
  },
  capture: {
    given: authorized,
    act: (tenant, id) => tenant.capture(id),
    status: 'captured',
    event: 'capture',
    failures: [
      [missing, (tenant, id) => tenant.capture(id), 404, 'transaction_not_found'],
      [created, (tenant, id) => tenant.capture(id), 409, 'invalid_transaction_state'],
      [inProgress, (tenant, id) => tenant.capture(id), 409, 'operation_in_progress'],
      [waiting, (tenant, id) => tenant.capture(id), 409, 'operation_in_progress'],
      [authorized, (tenant, id) => tenant.capture(id, { amount: 10_001 }), 422, 'amount_exceeds_capturable'],
      [given('capture_declined'), (tenant, id) => tenant.capture(id), 402, 'payment_declined', 'capture.failed'],
    ],
  },
  void: {
    given: authorized,
    act: (tenant, id) => tenant.void(id),
    status: 'voided',
    event: 'void',
    failures: [
      [missing, (tenant, id) => tenant.void(id), 404, 'transaction_not_found'],
      [captured, (tenant, id) => tenant.void(id), 409, 'invalid_transaction_state'],
      [inProgress, (tenant, id) => tenant.void(id), 409, 'operation_in_progress'],
      [given('void_declined'), (tenant, id) => tenant.void(id), 402, 'payment_declined', 'void.failed'],
    ],
  },
  refund: {
    given: captured,
    act: (tenant, id) => tenant.refund(id),
    status: 'refunded',
    event: 'refund',
    failures: [
      [missing, (tenant, id) => tenant.refund(id), 404, 'transaction_not_found'],
      [authorized, (tenant, id) => tenant.refund(id), 409, 'invalid_transaction_state'],
      [inProgress, (tenant, id) => tenant.refund(id), 409, 'operation_in_progress'],
      [waiting, (tenant, id) => tenant.refund(id), 409, 'operation_in_progress'],
      [captured, (tenant, id) => tenant.refund(id, { amount: 10_001 }), 422, 'amount_exceeds_refundable'],
      [
        captured,
        (tenant, id) => tenant.refund(id, { items: [{ id: 'none', quantity: 1 }] }),
        422,
        'unknown_transaction_item',
      ],
      [thenCaptured('refund_declined'), (tenant, id) => tenant.refund(id), 402, 'payment_declined', 'refund.failed'],
    ],
  },
  sync: {
    given: given('timeout_applied'),
    act: (tenant, id) => tenant.sync(id),
    status: 'authorized',
    event: 'authorize',
    failures: [[missing, (tenant, id) => tenant.sync(id), 404, 'transaction_not_found']],
  },
  resolve: {
    given: inReview,
    act: resolve,
    status: 'authorized',
    event: 'authorize',
    failures: [
      [withOperationId(missing), resolve, 404, 'transaction_not_found'],
      [withOperationId(created), resolve, 404, 'operation_not_found'],
      [unknownOperation, resolve, 409, 'operation_not_in_review'],
      [withOperationId(authorized), resolve, 409, 'operation_not_in_review'],
      [resolved, (tenant, path) => resolve(tenant, path, 'declined'), 409, 'operation_not_in_review'],
    ],
  },
}

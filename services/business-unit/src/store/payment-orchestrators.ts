import { definedMembers } from '@payments/contracts/grammar/defined-members'
import type { PaymentOrchestratorChange, PaymentOrchestratorDraft } from '../domain/payment-orchestrator.ts'
import type { PaymentOrchestratorModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

export type PaymentOrchestratorRow = PaymentOrchestratorModel

/** Encrypted credentials with their fingerprint. Null without credentials. */
export interface EncryptedAuthentication {
  readonly encrypted: Uint8Array<ArrayBuffer>
  readonly fingerprint: string
}

export interface Insertion {
  readonly id: string
  readonly businessUnitId: string
  readonly draft: PaymentOrchestratorDraft
  readonly cardPageTrusted: boolean
  readonly authentication: EncryptedAuthentication | null
}

/** The number of payment orchestrators of a unit: all, all but the deleted ones, and the active ones. */
export async function count(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
): Promise<{ stored: number; notDeleted: number; active: number }> {
  const groups = await tx.paymentOrchestrator.groupBy({
    by: ['status'],
    where: { tenantId, businessUnitId },
    _count: true,
  })
  const of = (status: PaymentOrchestratorRow['status']) => groups.find((group) => group.status === status)?._count ?? 0
  const [active, notDeleted] = [of('active'), of('active') + of('inactive')]
  return { stored: notDeleted + of('deleted'), notDeleted, active }
}

export function insert(tx: Tx, tenantId: string, insertion: Insertion): Promise<PaymentOrchestratorRow> {
  const { id, businessUnitId, draft, cardPageTrusted, authentication } = insertion
  return tx.paymentOrchestrator.create({
    data: {
      id,
      tenantId,
      businessUnitId,
      name: draft.name,
      paymentGateway: draft.payment_gateway,
      mode: draft.mode,
      gatewayUrl: draft.gateway_url,
      iframeUrl: draft.iframe_url,
      tokenizerUrl: draft.tokenizer_url,
      cardPageTrusted,
      ...toColumns(authentication),
      paymentMethods: [...(draft.payment_methods ?? [])],
      currencies: [...(draft.currencies ?? [])],
      isDefault: draft.is_default,
      status: draft.status,
      settings: draft.settings,
    },
  })
}

export function find(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  paymentOrchestratorId: string,
): Promise<PaymentOrchestratorRow | null> {
  return tx.paymentOrchestrator.findFirst({ where: { tenantId, businessUnitId, id: paymentOrchestratorId } })
}

/** Of any business unit of the tenant. */
export function findInTenant(
  tx: Tx,
  tenantId: string,
  paymentOrchestratorId: string,
): Promise<PaymentOrchestratorRow | null> {
  return tx.paymentOrchestrator.findFirst({ where: { tenantId, id: paymentOrchestratorId } })
}

/** Deleted ones included, oldest first; `storedPaymentOrchestratorsMax` bounds them. */
export function listAll(tx: Tx, tenantId: string, businessUnitId: string): Promise<PaymentOrchestratorRow[]> {
  return tx.paymentOrchestrator.findMany({ where: { tenantId, businessUnitId }, orderBy: { id: 'asc' } })
}

/** Bytes of the payment orchestrators of a unit as JSON without credentials: of all, and of those not deleted. */
export async function countBytes(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
): Promise<{ stored: number; notDeleted: number }> {
  const [row] = await tx.$queryRawUnsafe<[{ stored: number; notDeleted: number }]>(
    `SELECT coalesce(sum(bytes), 0)::int AS stored,
       coalesce(sum(bytes) FILTER (WHERE status <> 'deleted'), 0)::int AS "notDeleted"
     FROM (SELECT status, octet_length((to_jsonb(o) - 'gateway_authentication_encrypted')::text) AS bytes
       FROM payment_orchestrators o WHERE o.tenant_id = $1::uuid AND o.business_unit_id = $2::uuid) AS sizes`,
    tenantId,
    businessUnitId,
  )
  return row
}

/** Newest first; one more than `limit`; without the encrypted credentials. */
export function list(
  tx: Tx,
  tenantId: string,
  query: {
    businessUnitId: string
    status: PaymentOrchestratorRow['status'] | undefined
    before: string | undefined
    limit: number
  },
): Promise<Omit<PaymentOrchestratorRow, 'gatewayAuthenticationEncrypted'>[]> {
  const { businessUnitId, status, before, limit } = query
  return tx.paymentOrchestrator.findMany({
    where: { tenantId, businessUnitId, id: definedMembers({ lt: before }), ...definedMembers({ status }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
    omit: { gatewayAuthenticationEncrypted: true },
  })
}

/**
 * The payment orchestrator and the default of its unit, which may be the same row, locked in the order of their ids.
 * The caller has locked the unit.
 */
export async function lockWithDefault(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  paymentOrchestratorId: string | null,
): Promise<{ one: PaymentOrchestratorRow | undefined; currentDefault: PaymentOrchestratorRow | undefined }> {
  await tx.$queryRawUnsafe(
    `SELECT 1 FROM payment_orchestrators
     WHERE tenant_id = $1::uuid AND business_unit_id = $2::uuid AND (is_default OR id = $3::uuid)
     ORDER BY id FOR NO KEY UPDATE`,
    tenantId,
    businessUnitId,
    paymentOrchestratorId,
  )
  const rows = await tx.paymentOrchestrator.findMany({
    where: {
      tenantId,
      businessUnitId,
      OR: [{ isDefault: true }, ...(paymentOrchestratorId === null ? [] : [{ id: paymentOrchestratorId }])],
    },
  })
  return {
    one: rows.find(({ id }) => id === paymentOrchestratorId),
    currentDefault: rows.find(({ isDefault }) => isDefault),
  }
}

/** The caller has locked the row. */
export function clearDefault(tx: Tx, tenantId: string, paymentOrchestratorId: string): Promise<PaymentOrchestratorRow> {
  return tx.paymentOrchestrator.update({
    where: { tenantId, id: paymentOrchestratorId },
    data: { isDefault: false, version: { increment: 1 } },
  })
}

/** Those with a card page, of all tenants, by id. */
export function listCardPages(tx: Tx, after: string | null, limit: number): Promise<PaymentOrchestratorRow[]> {
  return tx.paymentOrchestrator.findMany({
    where: { iframeUrl: { not: null }, status: { not: 'deleted' }, ...(after === null ? {} : { id: { gt: after } }) },
    orderBy: { id: 'asc' },
    take: limit,
  })
}

/** The caller has locked the row. */
export function setCardPageTrusted(
  tx: Tx,
  tenantId: string,
  paymentOrchestratorId: string,
  cardPageTrusted: boolean,
): Promise<PaymentOrchestratorRow> {
  return tx.paymentOrchestrator.update({
    where: { tenantId, id: paymentOrchestratorId },
    data: { cardPageTrusted, version: { increment: 1 } },
  })
}

/** The caller has locked the row. `authentication` undefined: the credentials stay. */
export function update(
  tx: Tx,
  tenantId: string,
  paymentOrchestratorId: string,
  change: PaymentOrchestratorChange & {
    readonly authentication?: EncryptedAuthentication | null | undefined
    readonly cardPageTrusted: boolean
  },
): Promise<PaymentOrchestratorRow> {
  const { authentication, cardPageTrusted, name, status, settings, is_default: isDefault } = change
  const { gateway_url: gatewayUrl, iframe_url: iframeUrl, tokenizer_url: tokenizerUrl } = change
  const paymentMethods = change.payment_methods === undefined ? undefined : [...(change.payment_methods ?? [])]
  const currencies = change.currencies === undefined ? undefined : [...(change.currencies ?? [])]
  return tx.paymentOrchestrator.update({
    where: { tenantId, id: paymentOrchestratorId },
    data: {
      ...definedMembers({ name, gatewayUrl, iframeUrl, tokenizerUrl, paymentMethods, currencies, isDefault, status }),
      ...definedMembers({ settings }),
      ...(authentication === undefined ? {} : toColumns(authentication)),
      cardPageTrusted,
      version: { increment: 1 },
    },
  })
}

const toColumns = (authentication: EncryptedAuthentication | null) => ({
  gatewayAuthenticationEncrypted: authentication?.encrypted ?? null,
  gatewayAuthenticationFingerprint: authentication?.fingerprint ?? null,
})

/** The caller has locked the row. A deleted payment orchestrator is no default. */
export function markDeleted(tx: Tx, tenantId: string, paymentOrchestratorId: string): Promise<PaymentOrchestratorRow> {
  return tx.paymentOrchestrator.update({
    where: { tenantId, id: paymentOrchestratorId },
    data: { status: 'deleted', isDefault: false, version: { increment: 1 } },
  })
}

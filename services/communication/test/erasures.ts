import { randomUUID } from 'node:crypto'
import type { EventMessage } from '@payments/contracts/grammar/event'
import type { PayerErasure } from '@payments/contracts/services/communication/payers'
import { erasureTurns, runErasures } from '@payments/payer-erasure/run-erasures'
import { erasureJob } from '../src/erasure/steps.ts'
import { recordErasureReport } from '../src/verbs/record-erasure-report.ts'
import type { World } from './world.ts'

type Tenant = ReturnType<World['tenant']>

/** The event of a report of a service, as the consumer gets it. */
export const reportOf = (tenant: Tenant, type: string, payload: Record<string, unknown>): EventMessage => ({
  id: randomUUID(),
  type,
  tenant_id: tenant.id,
  business_unit_id: null,
  trace_id: randomUUID(),
  occurred_at: new Date().toISOString(),
  payload,
})

/** Erasures of payers at one world. */
export const erasuresAt = (world: World) => {
  const begin = async (tenant: Tenant, recipient: string, erasureId: string = randomUUID()) =>
    (
      await world.asOperator
        .post(`/internal/tenants/${tenant.id}/payer-erasures`, {
          erasure_id: erasureId,
          recipient,
          reason: 'request of the payer',
          requested_by: 'ops',
        })
        .expect(202)
    ).body as PayerErasure

  const run = () => runErasures(world.deps, erasureTurns(), erasureJob)
  const read = async (id: string) =>
    (await world.asOperator.get(`/internal/payer-erasures/${id}`).expect(200)).body as PayerErasure
  const secondPassIsDue = (tenant: Tenant) =>
    world.rows(`UPDATE payer_erasures SET due_at = now() WHERE tenant_id = $1::uuid`, tenant.id)

  /** Moves the requests of the tenant into the past. */
  const requestedBefore = (tenant: Tenant, seconds: number) =>
    world.rows(
      `UPDATE payer_erasures SET requested_at = requested_at - $2::int * interval '1 second' WHERE tenant_id = $1::uuid`,
      tenant.id,
      seconds,
    )

  /** The rows of a tenant in every table that name the text. */
  async function tablesWith(tenant: Tenant, text: string): Promise<string[]> {
    const tables = await world.rows<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'tenant_id' ORDER BY table_name`,
    )
    const counts = await Promise.all(
      tables.map(({ name }) =>
        world.rows(
          `SELECT 1 FROM "${name}" AS t WHERE tenant_id = $1::uuid AND strpos(lower(t::text), $2) > 0`,
          tenant.id,
          text,
        ),
      ),
    )
    return tables.filter((_, index) => (counts[index]?.length ?? 0) > 0).map(({ name }) => name)
  }

  async function complete(tenant: Tenant, erasureId: string): Promise<void> {
    const reports = ['payment-proxy', 'invite-to-pay', 'communication'].map((service) =>
      reportOf(tenant, `${service}.payers.erased`, { erasure_id: erasureId, service, resource_ids: [], is_last: true }),
    )
    for (const report of reports) await recordErasureReport(world, report)
    for (const { id } of reports) {
      const payload = { erasure_id: erasureId, report_id: id }
      await recordErasureReport(world, reportOf(tenant, 'webhooks.payers.erased', payload))
    }
  }

  return { begin, run, read, secondPassIsDue, requestedBefore, tablesWith, complete }
}

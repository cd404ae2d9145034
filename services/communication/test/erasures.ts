import { randomUUID } from 'node:crypto'
import type { EventMessage } from '@payments/contracts/grammar/event'
import { erasingServices } from '@payments/contracts/nouns/payer-erasure'
import type { PayerErasure } from '@payments/contracts/services/communication/payers'
import { erasePayers, erasureTurns } from '@payments/service/payers/erasures'
import { messageEraser } from '../src/erasure/messages.ts'
import { recordErasureReport } from '../src/verbs/record-erasure-report.ts'
import type { World } from './world.ts'

type Tenant = ReturnType<World['tenant']>

/** The event of a report, as the consumer gets it. */
export const buildReport = (
  tenant: Tenant,
  payload: Record<string, unknown>,
): Pick<EventMessage, 'tenant_id' | 'payload'> => ({ tenant_id: tenant.id, payload })

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

  /** Runs what is due, as a minute after the requests of the tenant. */
  const run = async (tenant: Tenant) => {
    await world.rows(
      `UPDATE payer_erasures SET due_at = now() - interval '1 second' WHERE tenant_id = $1::uuid AND due_at IS NOT NULL`,
      tenant.id,
    )
    await erasePayers(world.deps, erasureTurns(), messageEraser)
  }
  const read = async (id: string) =>
    (await world.asOperator.get(`/internal/payer-erasures/${id}`).expect(200)).body as PayerErasure
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
    for (const service of erasingServices)
      await recordErasureReport(world, buildReport(tenant, { erasure_id: erasureId, service, resources: 0 }))
  }

  return { begin, run, read, requestedBefore, tablesWith, complete }
}

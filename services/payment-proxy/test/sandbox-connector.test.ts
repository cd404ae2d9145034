import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from '@jest/globals'
import type { Account } from '../src/connectors/connector.ts'
import { openBank } from './bank.ts'
import { challengeSuite } from './challenge-suite.ts'
import type { ConnectorFixture } from './connector-payment.ts'
import { connectorSuite } from './connector-suite.ts'
import { createSandboxAccount } from './sandbox-account.ts'
import { startWorld, type World } from './world.ts'

let world: World
let template: Account
beforeAll(async () => {
  world = await startWorld()
  const ids = { tenantId: randomUUID(), businessUnitId: randomUUID(), paymentOrchestratorId: randomUUID() }
  template = createSandboxAccount(ids)
})
afterAll(() => world.stop())

const fixture = (): ConnectorFixture => ({
  connector: world.sandbox,
  account: () => ({ ...template, tenantId: randomUUID() }),
  effects: async ({ tenantId }, id) => {
    const rows = await world.rows(
      "SELECT 1 FROM sandbox_operations WHERE tenant_id = $1::uuid AND id = $2::uuid AND state = 'succeeded'",
      tenantId,
      id,
    )
    return rows.length
  },
  decide: async ({ tenantId }, id, decision) => {
    const [row] = await world.rows<{ challenge: string }>(
      'SELECT challenge FROM sandbox_operations WHERE tenant_id = $1::uuid AND id = $2::uuid',
      tenantId,
      id,
    )
    await openBank(world, `https://pay.payments.test/pay/sandbox-bank/${row?.challenge}`).decide(decision)
  },
})

const token = (name: string) => `tok_sandbox_${name}`
const lost = (fault: string) => ({
  authorize: token(fault),
  capture: token(`capture_${fault}`),
  refund: token(`refund_${fault}`),
})

connectorSuite(
  {
    success: token('visa'),
    declines: { [token('declined')]: 'card_declined', [token('insufficient_funds')]: 'insufficient_funds' },
    lost: { applied: lost('timeout_applied'), not_applied: lost('timeout_not_applied') },
    slow: token('slow_60000'),
  },
  fixture,
  { rejectsLateRequests: true, sendsWebhooks: false, capturesManyParts: true },
)

challengeSuite({ challenge: token('challenge') }, fixture, { webhooks: 'none' })

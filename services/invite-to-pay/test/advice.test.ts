import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from '@jest/globals'
import { type CodeWithLink, problems } from '@payments/contracts/services/invite-to-pay/contract'
import { adviceSuite } from '@payments/testing/suites/advice'
import { codesPath, startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

type Code = Pick<CodeWithLink, 'id' | 'transaction_id'>
type Reply = { readonly status: number; readonly body: { readonly code?: string; readonly id?: string } }

const resend = (tenant: TestTenant, { transaction_id: id }: Code): PromiseLike<Reply> =>
  world.asService().post(`/internal/tenants/${tenant.id}/transactions/${id}/resend`, { resend_id: randomUUID() })
const cancel = (tenant: TestTenant, { id }: Code) => tenant.post(`${codesPath}/${id}/cancel`)
const change = (tenant: TestTenant, { id }: Code) => tenant.patch(`${codesPath}/${id}`, { return_url: null })
const createAgain = (tenant: TestTenant, code: Code) => tenant.createAgain(code.transaction_id)
const cancelAndCreate = async (tenant: TestTenant, code: Code) => {
  await cancel(tenant, code).expect(200)
  return createAgain(tenant, code)
}
const later =
  (step: Case['rejected'], seconds: number) =>
  async (tenant: TestTenant, code: Code): Promise<Reply> => {
    await world.age(code.id, seconds)
    return step(tenant, code)
  }

interface Case {
  readonly problem: string
  readonly advice: string
  /** Leads to the state in which `rejected` has the problem. */
  readonly before?: (tenant: TestTenant, code: Code) => PromiseLike<unknown>
  readonly rejected: (tenant: TestTenant, code: Code) => PromiseLike<Reply>
  readonly advised: (tenant: TestTenant, code: Code) => PromiseLike<Reply>
}

const ended = { problem: 'code_not_active', before: cancel, advised: createAgain }
const expired = { problem: 'code_not_active', before: (_: TestTenant, { id }: Code) => world.age(id, 86_400) }
const exhausted = (_: TestTenant, { id }: Code) =>
  world.rows(`UPDATE codes SET resend_count = 10, invited_at = now() - interval '1 hour' WHERE id = $1::uuid`, id)

const cases: readonly Case[] = [
  { problem: 'code_exists', advice: 'change the code', rejected: createAgain, advised: change },
  { problem: 'code_exists', advice: 'send it again', rejected: createAgain, advised: later(resend, 60) },
  { problem: 'code_exists', advice: 'cancel, and create', rejected: createAgain, advised: cancelAndCreate },
  { ...ended, advice: 'create a new code', rejected: change },
  { ...ended, advice: 'create a new code', rejected: cancel },
  { ...ended, advice: 'create a new code', rejected: resend },
  { ...expired, advice: 'cancel the expired code', rejected: change, advised: cancel },
  { ...expired, advice: 'send the expired code again', rejected: change, advised: resend },
  { ...expired, advice: 'create a new code', rejected: change, advised: createAgain },
  { problem: 'resend_too_soon', advice: 'wait', rejected: resend, advised: later(resend, 60) },
  {
    problem: 'resend_limit_reached',
    advice: 'cancel, and create',
    before: exhausted,
    rejected: resend,
    advised: cancelAndCreate,
  },
]

adviceSuite(
  problems,
  cases.map(({ problem, advice, before, rejected, advised }) => ({
    problem,
    advice,
    given: async () => {
      const tenant = world.tenant()
      const code = await tenant.create()
      await before?.(tenant, code)
      return { rejected: () => rejected(tenant, code), advised: () => advised(tenant, code) }
    },
  })),
  { payment_orchestrator_without_page: 'services/invite-to-pay/test/show-pay-page.test.ts' },
)

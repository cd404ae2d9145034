import { afterAll, beforeAll } from '@jest/globals'
import { type PageAdvice, pageAdviceSuite, plainText } from '@payments/testing/suites/page-advice'
import { decisionPage, endedPage, unknownPage, unreadablePage } from '../src/page/sandbox-bank.ts'
import { return_url, waitingPayment } from './bank.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const pages = {
  decision: decisionPage({ amount: 1_000, currency: 'EUR', returnUrl: null }),
  ended: endedPage(),
  unknown: unknownPage(),
  unreadable: unreadablePage(),
}

const advices: readonly PageAdvice[] = [
  ...(['Confirm the payment', 'To see a payment that is never confirmed, close this page'] as const).map((advice) => ({
    page: 'decision',
    advice,
    given: async () => {
      const { tenant, id, bank } = await waitingPayment(world)
      const isConfirmed = advice === 'Confirm the payment'
      const advised = async () => {
        if (isConfirmed) await bank.decide('confirm')
        return (await tenant.sync(id)).body.status
      }
      return { shown: (await bank.show()).text, advised, leadsTo: isConfirmed ? 'authorized' : 'pending' }
    },
  })),
  {
    page: 'ended',
    advice: 'Return to the shop to pay in another way',
    given: async () => {
      const { tenant, id, bank } = await waitingPayment(world)
      world.advanceClock(30 * 60_000)
      await world.resumeOpen()
      const advised = async () => (await tenant.complete(id, 'visa')).body.status
      return { shown: (await bank.show()).text, advised, leadsTo: 'authorized' }
    },
  },
  {
    page: 'unreadable',
    advice: 'Open the page again, and choose one of its buttons',
    given: async () => {
      const { reply, bank } = await waitingPayment(world)
      const { pathname } = new URL(reply.body.pending_operation.action.url)
      const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
      const { text } = await world.createCallers(world.app).asAnonymous().send('post', pathname, 'decision=maybe', type)
      const advised = async () => [(await bank.show()).status, await bank.decide('confirm')]
      return { shown: text, advised, leadsTo: [200, [303, return_url]] }
    },
  },
]

pageAdviceSuite(
  new Map(Object.entries(pages).map(([page, { html }]) => [page, plainText(html.replace(/<form[^]*<\/form>/, ''))])),
  advices,
  [],
  ['unknown'],
)

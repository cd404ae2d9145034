import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Deps } from '../src/deps.ts'
import { recheckCardPages } from '../src/verbs/recheck-card-pages.ts'
import { created, httpProvider, startWorld, type World } from './world.ts'

const listed = 'https://cards.bank.example.com'
const pages = { iframe_url: `${listed}/page`, tokenizer_url: `${listed}/tokens` }
const cardPages: Deps['cardPages'] = {
  origins: { http: [listed] },
  listedOnly: true,
  ownOrigin: 'https://pay.example.com',
}

let world: World
beforeAll(async () => {
  world = await startWorld({ cardPages })
})
afterAll(() => world.stop())

test('an origin that the operator removes from the list or adds to it is followed, with one event each', async () => {
  const of = await world.unit()
  const [one, without] = [await created(of, httpProvider(pages)), await created(of, httpProvider())]
  const read = async (id: string) => (await of.tenant.get(`${of.orchestrators}/${id}`)).body
  const recheck = (origins: Deps['cardPages']['origins']) =>
    recheckCardPages({ db: world.db, cardPages: { ...cardPages, origins } })
  const before = (await world.events(of.tenantId)).length
  await recheck({ http: [listed] })
  expect(await read(one.id)).toEqual(one)
  await Promise.all([recheck({}), recheck({})])
  expect(await read(one.id)).toMatchObject({ card_page_trusted: false, version: 2 })
  await recheck({ http: [listed] })
  expect(await read(one.id)).toMatchObject({ card_page_trusted: true, version: 3 })
  expect(await read(without.id)).toEqual(without)
  const events = (await world.events(of.tenantId)).slice(before)
  expect(events.map(({ payload }) => payload.payment_orchestrator?.card_page_trusted)).toEqual([false, true])
})

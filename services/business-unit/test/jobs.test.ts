import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runJobs } from '@payments/testing/suites/run-jobs'
import { startJobs } from '../src/jobs.ts'
import { created, httpProvider, startWorld, type World } from './world.ts'

const origin = 'https://cards.bank.example.com'
const cardPages = { origins: { http: [origin] }, listedOnly: true, ownOrigin: 'https://pay.example.com' }

let world: World
beforeAll(async () => {
  world = await startWorld({ cardPages })
})
afterAll(() => world.stop())

test('the process checks card pages again', async () => {
  const of = await world.unit()
  const { id } = await created(of, httpProvider({ iframe_url: `${origin}/page`, tokenizer_url: `${origin}/tokens` }))
  await runJobs(() => startJobs({ ...world.deps, cardPages: { ...cardPages, origins: {} } }))
  expect((await of.tenant.get(`${of.orchestrators}/${id}`)).body).toMatchObject({ card_page_trusted: false })
})

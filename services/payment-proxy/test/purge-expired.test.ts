import { afterAll, beforeAll } from '@jest/globals'
import { purgeSuite } from '@payments/testing/suites/purge'
import { startJobs } from '../src/jobs.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

purgeSuite(
  () => world,
  ({ deps }) => startJobs(deps, { config: { PAYMENT_CUSTOMER_RETENTION_DAYS: 3_650 } }),
)

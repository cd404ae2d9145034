import { afterAll, beforeAll } from '@jest/globals'
import { audit } from '@payments/contracts/services/audit/contract'
import { named } from '@payments/messaging/broker/topology'
import { type OpenQuarantine, openQuarantine } from '@payments/messaging/quarantine/open-quarantine'
import { type PrivateBroker, privateBroker } from '@payments/testing/broker/broker'
import { reachable } from '@payments/testing/broker/quarantine'
import { badInputSuite } from '@payments/testing/suites/bad-input'
import { contractSuite } from '@payments/testing/suites/contract-suite'
import { createApp } from '../src/app.ts'
import { startWorld, type World } from './world.ts'

const name = 'audit.quarantine'

let world: World
let broker: PrivateBroker
let own: OpenQuarantine
let subject: Pick<World, 'app' | 'edgeKey' | 'database'>
beforeAll(async () => {
  ;[world, broker] = await Promise.all([startWorld(), privateBroker()])
  own = await openQuarantine({ broker, name, origins: ['audit.records'], log: world.deps.log })
  await reachable(own.quarantine)
  subject = { ...world, app: createApp({ ...world.deps, quarantine: own.quarantine }) }
})
afterAll(async () => {
  await own.close()
  await broker.discard({ queues: [named(broker.prefix, name)] })
  await world.stop()
})

contractSuite(audit, () => subject)
badInputSuite(audit, () => subject)

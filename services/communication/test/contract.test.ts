import { afterAll, beforeAll } from '@jest/globals'
import { communicationContract } from '@payments/contracts/services/communication/contract'
import { testQuarantine } from '@payments/testing/broker/quarantine'
import { badInputSuite } from '@payments/testing/suites/bad-input'
import { contractSuite } from '@payments/testing/suites/contract-suite'
import { operatorSuite } from '@payments/testing/suites/operator'
import { createApp } from '../src/app.ts'
import { startWorld, type World } from './world.ts'

let world: World
let own: Awaited<ReturnType<typeof testQuarantine>>
let subject: Pick<World, 'app' | 'edgeKey' | 'database' | 'rows'>
beforeAll(async () => {
  ;[world, own] = await Promise.all([
    startWorld(),
    testQuarantine('communication.quarantine', ['communication.business-units']),
  ])
  subject = { ...world, app: createApp({ ...world.deps, quarantine: own.quarantine }) }
})
afterAll(async () => {
  await own.close()
  await world.stop()
})

contractSuite(communicationContract, () => subject)
badInputSuite(communicationContract, () => subject)
operatorSuite(communicationContract, () => subject)

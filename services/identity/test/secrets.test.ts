import { afterAll, beforeAll } from '@jest/globals'
import { identityContract } from '@payments/contracts/services/identity/contract'
import { secretsSuite } from '@payments/testing/suites/secrets'
import { encryptedColumns } from '../src/domain/user-invitation.ts'
import { newEmail, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

secretsSuite(
  identityContract,
  encryptedColumns,
  () => world,
  async () => {
    const tenant = await world.tenant()
    const { body } = await tenant.by().invite({ email: newEmail(), role_ids: [tenant.viewerRole] })
    return (app) => world.mailedLink(app, tenant.id, body.id)
  },
)

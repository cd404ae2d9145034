import { afterAll, beforeAll } from '@jest/globals'
import { inviteToPay } from '@payments/contracts/services/invite-to-pay/contract'
import { secretsSuite } from '@payments/testing/suites/secrets'
import { encryptedColumns } from '../src/domain/code-value.ts'
import { codesPath, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

secretsSuite(
  inviteToPay,
  encryptedColumns,
  () => world,
  async () => {
    const tenant = world.tenant()
    const { id } = await tenant.create()
    return async (app) => (await tenant.at(app).get(`${codesPath}/${id}/reveal`)).body.url
  },
)

import { randomUUID } from 'node:crypto'
import { newEmail, type World } from './world.ts'

/** A user of two tenants, with a session, an open invitation elsewhere and an accepted one. */
export async function personEverywhere(world: World) {
  const [tenant, other, third] = [await world.tenant(), await world.tenant(), await world.tenant()]
  const user = await tenant.member([tenant.viewerRole], { email: newEmail(), name: `Grace ${randomUUID()}` })
  await world.join(other.id, user.id, [other.adminRole])
  const session = await user.signIn()
  const open = (await third.by().invite({ email: user.email.toUpperCase(), role_ids: [] })).body
  return { tenant, other, third, user, session, open }
}

import { SignInRejected, signInAs } from '../sign-in/sign-in-as.ts'
import type { Shop } from './shop.ts'

const guests = ['grace@juniper.example', 'linus@juniper.example'] as const

/** The developer and the viewer sign in at the development provider, which accepts their invitations; others wait. */
export async function writePeople(shop: Shop): Promise<void> {
  const { client, gatewayUrl, once } = shop
  const roles = await client.listRoles({ limit: 200 }).page()
  const viewer = roles.data.find(({ name }) => name === 'viewer')
  for (const email of guests) {
    const body = { email, role_ids: viewer === undefined ? [] : [viewer.id] }
    await client.createUserInvitation({ body }, once(`invitation of ${email}`))
  }
  for (const person of ['dev', 'viv']) {
    await signInAs(gatewayUrl, person).catch((error: unknown) => {
      // A person whom an administrator has removed stays removed.
      if (!(error instanceof SignInRejected)) throw error
    })
  }
}

import { SignInRejected, signInAs } from '../sign-in/sign-in-as.ts'
import type { Shop } from './shop.ts'

const invitees = ['grace@juniper.example', 'linus@juniper.example'] as const

/** Two more invitations, which stay open. The developer and the viewer accept theirs: they sign in. */
export async function writePeople(shop: Shop): Promise<void> {
  const { client, gatewayUrl, once } = shop
  const roles = await client.listRoles({ limit: 200 }).page()
  const viewer = roles.data.find(({ name }) => name === 'viewer')
  for (const email of invitees) {
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

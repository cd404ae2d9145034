import { developmentProviderId } from '../sign-in/provider-files.ts'
import type { Shop } from './shop.ts'

const guests = ['grace@juniper.example', 'linus@juniper.example'] as const
const redirectsMax = 12
const timeoutMs = 10_000

/** The developer and the viewer sign in at the development provider, which accepts their invitations; others wait. */
export async function writePeople(shop: Shop): Promise<void> {
  const { client, gatewayUrl, once } = shop
  const roles = await client.listRoles({ limit: 200 }).page()
  const viewer = roles.data.find(({ name }) => name === 'viewer')
  for (const email of guests) {
    const body = { email, role_ids: viewer === undefined ? [] : [viewer.id] }
    await client.createUserInvitation({ body }, once(`invitation of ${email}`))
  }
  for (const person of ['dev', 'viv']) await signIn(gatewayUrl, person)
}

/** Signs in as a browser does: follows redirects, stores cookies, and sends the form of the provider. */
async function signIn(gatewayUrl: string, person: string): Promise<void> {
  const cookies = new Map<string, string>()
  let url = new URL(`/session/sign-in?provider=${developmentProviderId}`, gatewayUrl)
  let form: URLSearchParams | undefined
  for (let redirects = 0; redirects < redirectsMax; redirects++) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { Cookie: [...cookies].map((pair) => pair.join('=')).join('; '), Origin: url.origin },
      signal: AbortSignal.timeout(timeoutMs),
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null) {
      if (response.status !== 200 || form !== undefined) break
      form = new URLSearchParams({ person })
    } else {
      form = undefined
      url = new URL(location, url)
      if (url.origin === new URL(gatewayUrl).origin && url.pathname === '/console') return
    }
  }
  throw new Error(`the sign-in of ${person} ended at ${url.pathname}`)
}

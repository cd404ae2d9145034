/** The sign-in provider of the local stack, which is a real product, with a real identity. */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { App } from '@payments/chassis/request/app'
import { freePorts } from '@payments/devkit/machine/ports'
import { developmentPeople } from '@payments/devkit/sign-in/people'
import { type SignInProvider, startSignInProvider } from '@payments/devkit/sign-in/provider'
import {
  developmentClientId,
  developmentProviderId,
  signInProviderFiles,
} from '@payments/devkit/sign-in/provider-files'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { newBrowser, readTitle } from './browsers.ts'
import { openProviders } from './sign-in-world.ts'
import { startWorld, type World } from './world.ts'

let world: World
let provider: SignInProvider
let gateway: Receiver
let app: App
let stop: () => Promise<void>

beforeAll(async () => {
  world = await startWorld()
  gateway = await receiver()
  const directory = await mkdtemp(join(tmpdir(), 'development-provider-'))
  const files = signInProviderFiles(directory)
  const clientSecret = readFileSync(files.clientSecretFile, 'utf8')
  const key = readFileSync(files.keyFile, 'utf8')
  const [port = 0] = await freePorts(1)
  const issuer = `http://127.0.0.1:${port}`
  const consoleOrigin = gateway.url
  provider = await startSignInProvider({ port, issuer, consoleOrigin, clientSecret, key, people: developmentPeople })
  const client = { issuer, clientId: developmentClientId, clientSecret }
  const providers = await openProviders(client, { [developmentProviderId]: {} }, { origin: consoleOrigin })
  app = world.createAppWith({ consoleOrigin, providers })
  // Logout tokens arrive here, as at the gateway.
  gateway.respondWith(async ({ path, body, headers }) => {
    const type = { 'content-type': String(headers['content-type']) }
    const { status } = await world.createCallers(app).asAnonymous().send('post', path, body.toString(), type)
    return { status }
  })
  stop = async () => {
    providers.close()
    await Promise.all([provider.close(), gateway.close(), world.stop(), rm(directory, { recursive: true })])
  }
})
afterAll(() => stop())

/** A browser at the provider: its cookies, and the page with the people. */
function personChooser() {
  const cookies = new Map<string, string>()
  const send = async (url: string, form?: Readonly<Record<string, string>>): Promise<Response> => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null) return response
    const next = new URL(location, url)
    return next.origin === gateway.url ? response : send(next.href)
  }
  return {
    /** The callback to which the choice of the person leads. */
    choose: async (authorizationUrl: string, person: string): Promise<string> => {
      const page = await send(authorizationUrl)
      let response = await send(page.url, { person })
      // Another person than before: a page ends the session of the provider by itself.
      const [, action, secret] = /action="([^"]+)"[^]*name="xsrf" value="([^"]+)"/.exec(await response.text()) ?? []
      if (action !== undefined) response = await send(action, { xsrf: secret ?? '', logout: 'yes' })
      const { pathname, search } = new URL(response.headers.get('location') ?? '')
      return `${pathname}${search}`
    },
  }
}

async function invitePeople() {
  const tenant = await world.tenant()
  for (const { email } of developmentPeople) {
    await world.asOperator.inviteFirst(tenant.id, { email, role_name: 'viewer' }).expect(201)
  }
  return tenant
}

test('a person signs in, steps up, cancels, and another person takes over the browser', async () => {
  const tenant = await invitePeople()
  const browser = newBrowser({ ...world, app })
  const chooser = personChooser()
  const go = async (path: string, person: string) => {
    const { headers } = await browser.get(path)
    return browser.callback(await chooser.choose(headers['location'] ?? '', person))
  }
  /** Accepts the invitation of the page to which a first sign-in leads. */
  const accept = async ({ headers }: Awaited<ReturnType<typeof go>>) => {
    const location = headers['location'] ?? ''
    const id = /name="accept" value="([^"]+)"/.exec((await browser.get(location)).text)?.[1]
    return browser.choose(location, { accept: id ?? '' })
  }
  const current = () => world.identify(browser.cookie('__Host-session') ?? '')

  expect((await accept(await go('/session/sign-in?provider=dev-sign-in', 'ada'))).status).toBe(303)
  const ada = await current()
  expect((await tenant.by().readUser(ada.user_id)).body).toMatchObject({
    email: 'ada@juniper.example',
    name: 'Ada Admin',
  })

  expect((await go('/session/step-up', 'ada')).status).toBe(303)
  const steppedUp = await current()
  expect(steppedUp).toMatchObject({ user_id: ada.user_id })
  expect(steppedUp.session_id).not.toBe(ada.session_id)

  expect(readTitle(await go('/session/step-up', ''))).toBe('The sign-in was canceled')
  expect(await current()).toEqual(steppedUp)

  // The provider signs Ada out, and its logout token ends her session.
  expect((await accept(await go('/session/sign-in?provider=dev-sign-in', 'viv'))).status).toBe(303)
  const viv = await current()
  expect(viv.user_id).not.toBe(ada.user_id)
  const [logout] = await gateway.waitFor(({ path }) => path === '/session/back-channel-logout')
  expect(logout?.body.toString()).toMatch(/^logout_token=/)
  expect(await world.rows('SELECT 1 FROM sessions WHERE user_id = $1::uuid', ada.user_id)).toEqual([])
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Browser, openBrowser, type Page } from '@payments/testing/peers/browser'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { fetchIn, invitationLink, newPage, onboardWithAdministrator, signIn } from './people/world.ts'
import { type Call, createCaller, type Onboarded } from './tenant.ts'

/**
 * People, end to end, in real browsers: sign in at the development provider, invite a person, and remove them. Each
 * test needs the previous ones. revocation-disturbed.test.ts has the removal of a person without RabbitMQ.
 */
const createAddress = (name: string) => `${name}@juniper-${randomUUID().slice(0, 8)}.example`
const people = { ada: createAddress('ada'), viv: createAddress('viv') }
const platform = sharedPlatform()
const consoleUrl = `${platform.gatewayUrl}/console`
let browser: Browser
let tenant: Onboarded
let call: Call
let ada: Page
let viv: Page
let vivId: string

beforeAll(async () => {
  browser = await openBrowser()
  tenant = await onboardWithAdministrator(platform, people.ada)
  call = createCaller(platform, tenant.api_key.value, tenant.tenant_id)
}, 300_000)
afterAll(() => browser?.close(), 120_000)

test('an invited person signs in, accepts without the link, and sees who they are', async () => {
  ada = await newPage(browser)
  await ada.goto(consoleUrl)
  await signIn(ada, people.ada)
  expect(await ada.getByRole('button', { name: /^Menu of/ }).innerText()).toContain('Ada')
  await ada.getByRole('link', { name: 'Plans and billing' }).click()
  await ada.getByText(tenant.tenant_id).waitFor()
  expect(await ada.evaluate('document.cookie')).toBe('')
}, 120_000)

test('an administrator invites a person, who signs in by the link of the mail in another browser', async () => {
  await ada.getByRole('link', { name: 'Users', exact: true }).click()
  await ada.getByRole('button', { name: 'Invite' }).click()
  await ada.getByRole('dialog').getByLabel('Email address').fill(people.viv)
  await ada.getByRole('checkbox', { name: /viewer/ }).check()
  await ada.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
  await ada.getByText(`Invited ${people.viv}.`).waitFor()
  viv = await newPage(browser)
  await viv.goto(await invitationLink(call, people.viv))
  await viv.getByRole('button', { name: 'Continue' }).click()
  await signIn(viv, people.viv)
  const { body: users } = await call('GET', `/v1/identity/users?email=${people.viv}`)
  vivId = users.data[0].id
  expect(users.data[0]).toMatchObject({ email: people.viv, enabled: true, role_ids: [roleId('viewer')] })
}, 120_000)

test('a person sees only what their roles permit', async () => {
  expect(await fetchIn(viv, 'GET', '/v1/api-key/keys')).toMatchObject({ status: 200 })
  expect(await fetchIn(viv, 'DELETE', `/v1/identity/users/${vivId}`)).toMatchObject({
    status: 403,
    code: 'permission_denied',
  })
  await viv.getByRole('link', { name: 'Users', exact: true }).click()
  const invite = viv.getByRole('button', { name: 'Invite' })
  await invite.waitFor()
  expect(await invite.getAttribute('title')).toBe('needs user:InviteUser')
}, 60_000)

test('the next request of a removed person is refused, also with a JWT of the session', async () => {
  const { token } = (await fetchIn(viv, 'POST', '/v1/identity/session/token')) as unknown as { token: string }
  const withToken = createCaller(platform, token, null)
  expect((await withToken('GET', '/v1/identity/self')).status).toBe(200)
  await ada.goto(`${consoleUrl}/users/${vivId}`)
  await ada.getByRole('button', { name: 'Remove' }).click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await ada.getByRole('heading', { name: 'Users', level: 1 }).waitFor()
  expect(await fetchIn(viv, 'GET', '/v1/identity/self')).toMatchObject({ status: 401, code: 'invalid_credentials' })
  expect(await withToken('GET', '/v1/identity/self')).toMatchObject({ status: 401 })
}, 120_000)

test('a person whose session ended is led to the sign-in', async () => {
  await viv.goto(consoleUrl)
  await viv.getByRole('link', { name: /development/i }).waitFor()
  expect(new URL(viv.url()).pathname).toBe('/session/sign-in')
  await viv.getByText('You were removed from the organization.').waitFor()
}, 60_000)

test('a sign-out ends the session and shows so', async () => {
  const readSession = async () => (await ada.context().cookies()).find(({ name }) => name === '__Host-session')
  const cookie = await readSession()
  expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Strict' })
  await ada.getByRole('button', { name: /^Menu of/ }).click()
  await ada.getByRole('button', { name: 'Sign out' }).click()
  await ada.waitForURL(/\/session\/signed-out$/)
  expect(await readSession()).toBe(undefined)
  const headers = { cookie: `${cookie?.name}=${cookie?.value}`, 'x-console': '1', 'sec-fetch-site': 'same-origin' }
  expect((await fetch(`${platform.gatewayUrl}/v1/identity/self`, { headers })).status).toBe(401)
}, 60_000)

const roleId = (name: string) => tenant.roles.find((role) => role.name === name)?.id

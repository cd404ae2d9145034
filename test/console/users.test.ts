import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { firstIdAt } from '@payments/chassis/base/id'
import { withClient } from '@payments/devkit/servers/databases'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { type ConsoleWorld, openConsoleWorld, type SignedIn } from './world.ts'

/** Users, roles and the menu of the person. */
let world: ConsoleWorld
let ada: SignedIn

beforeAll(async () => {
  world = await openConsoleWorld(sharedPlatform())
  ada = await world.signIn('ada')
}, 300_000)
afterAll(() => world?.stop())

const open = (path: string) => ada.page.goto(`${world.platform.gatewayUrl}/console${path}`)

test('an invitation is sent again, and the page says so, or why it was not', async () => {
  const { page } = ada
  const email = 'grace@juniper.example'
  const { status, body } = await world.call('POST', '/v1/identity/user-invitations', { email, role_ids: [] })
  expect(status).toBe(201)
  await sendEarlier(body.id)
  await open('/users')
  await page.getByRole('button', { name: `Resend to ${email}` }).click()
  const sent = page.getByText(`The invitation was sent to ${email} again.`)
  await sent.waitFor()
  await page.getByRole('button', { name: `Resend to ${email}` }).click()
  await page.getByRole('alert').waitFor()
  expect(await sent.count()).toBe(0)
}, 240_000)

test('a built-in role says that it cannot be changed, and leads back to the roles', async () => {
  const { page } = ada
  await open('/roles')
  await page.getByRole('link', { name: 'viewer', exact: true }).click()
  await page.getByText('A built-in role cannot be changed. A copy can.').waitFor()
  expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0)
  await page.getByRole('main').getByRole('link', { name: 'Roles', exact: true }).click()
  await page.getByRole('heading', { name: 'Roles', level: 1 }).waitFor()
}, 240_000)

test('an administrator ends all sessions of a user, who learns why at the sign-in', async () => {
  const viv = await world.signIn('viv', { roleName: 'viewer' })
  await open('/users')
  await ada.page.getByRole('link', { name: /^viv/ }).click()
  await ada.page.getByRole('button', { name: 'End all sessions' }).click()
  await ada.page.getByText('No session is open.').waitFor()
  await viv.page.reload()
  const reason = viv.page.getByText('An administrator of your organization ended your session.')
  await reason.waitFor()
  expect(new URL(viv.page.url()).pathname).toBe('/session/sign-in')
}, 240_000)

test('the menu marks the theme in force, and leads to the account', async () => {
  const { page } = ada
  const menu = page.getByRole('button', { name: /^Menu of/ })
  await menu.click()
  await page.getByRole('button', { name: 'Theme: dark', exact: true }).click()
  expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
  await menu.click()
  await page.getByRole('button', { name: 'Theme: dark ✓' }).waitFor()
  await page.getByRole('button', { name: 'Theme: system', exact: true }).click()
  await menu.click()
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
  expect(ada.faults).toEqual([])
}, 240_000)

/** As if the mail of the invitation had been sent two minutes ago. */
async function sendEarlier(invitationId: string): Promise<void> {
  await withClient(world.platform.databases.identity.ownerUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    const { rowCount } = await owner.query('UPDATE user_invitations SET message_id = $2 WHERE id = $1', [
      invitationId,
      firstIdAt(new Date(Date.now() - 120_000)),
    ])
    expect(rowCount).toBe(1)
  })
}

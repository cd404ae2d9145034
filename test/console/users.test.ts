/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { firstIdAt } from '@payments/chassis/base/id'
import { withClient } from '@payments/devkit/servers/databases'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { type ConsoleWorld, openConsoleWorld, type SignedIn, signInAgain } from './world.ts'

/** People in the console: invited by mail, permitted what their roles permit, changed, and locked out. */
const platform = sharedPlatform()
let world: ConsoleWorld
let ada: SignedIn
let dev: SignedIn

beforeAll(async () => {
  world = await openConsoleWorld(platform)
  const role = { name: 'key manager', description: '', permissions: ['apikey:CreateKey'] }
  expect((await world.call('POST', '/v1/rbac/roles', role)).status).toBe(201)
  ada = await world.signIn('ada')
}, 300_000)
afterAll(() => world?.stop())

const open = ({ page }: SignedIn, name: string) => page.getByRole('link', { name, exact: true }).click()
/** Also behind the dialog of a page that has found the end of its session by itself. */
const openInAnyCase = ({ page }: SignedIn, name: string) =>
  page.getByRole('link', { name, exact: true }).dispatchEvent('click')
const findDialog = ({ page }: SignedIn) => page.getByRole('dialog')

async function reload({ page }: SignedIn): Promise<void> {
  await page.reload()
  await page.getByRole('heading', { level: 1 }).waitFor()
}

test('a person is invited by mail, and accepts in a browser of their own', async () => {
  const { page } = ada
  await open(ada, 'Users')
  await page.getByRole('button', { name: 'Invite user' }).click()
  await findDialog(ada).getByLabel('Email address').fill(world.people.dev)
  const warning = findDialog(ada).getByText('Without a role, the person can sign in, and may do nothing.')
  await warning.waitFor()
  await page.getByRole('checkbox', { name: /^viewer/ }).check()
  await warning.waitFor({ state: 'detached' })
  await findDialog(ada).getByRole('button', { name: 'Invite' }).click()
  await page.getByText(`Invited ${world.people.dev}`).waitFor()
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  const invitations = page.getByRole('table', { name: 'Open invitations' })
  await invitations.getByRole('row', { name: world.people.dev }).waitFor()

  dev = await world.accept('dev')
  await reload(ada)
  await page.getByRole('table', { name: 'Users', exact: true }).getByRole('link', { name: world.people.dev }).waitFor()
  const none = page.getByText('No invitation is open.')
  await none.waitFor()
  expect(await none.count()).toBe(1)
}, 300_000)

test('a viewer reads keys, and is offered no action that a role does not permit', async () => {
  const { page } = dev
  await open(dev, 'API keys')
  const create = page.getByRole('button', { name: /^Create API key/ })
  await create.waitFor()
  expect(await create.getAttribute('aria-disabled')).toBe('true')
  expect(await create.getAttribute('title')).toBe('needs apikey:CreateKey')
  await create.click({ force: true })
  expect(await findDialog(dev).count()).toBe(0)
}, 120_000)

test('with another role, the person is offered more with the next page', async () => {
  const { page } = ada
  await page.getByRole('link', { name: world.people.dev }).click()
  await page.getByRole('button', { name: 'Change roles' }).click()
  await page.getByRole('checkbox', { name: /^key manager/ }).check()
  await findDialog(ada).getByRole('button', { name: 'Save' }).click()
  await findDialog(ada).waitFor({ state: 'detached' })
  await page.getByRole('main').getByText('key manager', { exact: true }).waitFor()
  await reload(dev)
  const create = dev.page.getByRole('button', { name: 'Create API key' })
  await create.waitFor()
  expect(await create.getAttribute('aria-disabled')).toBe('false')
}, 120_000)

test('an administrator ends the session of a person, whose next action says so', async () => {
  const { page } = ada
  await page.getByRole('button', { name: /^End the session of/ }).click()
  await findDialog(ada).getByRole('button', { name: 'End the session' }).click()
  await page.getByText('No session is open.').waitFor()
  await openInAnyCase(dev, 'Roles')
  await dev.page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  await signInAgain(dev, /^Sign in$/, 'dev')
  await dev.page.getByRole('heading', { name: 'Roles', level: 1 }).waitFor()
  expect(await findDialog(dev).count()).toBe(0)
}, 240_000)

test('a person who is disabled is signed out, and cannot sign in', async () => {
  const { page } = ada
  await page.getByRole('button', { name: 'Disable' }).click()
  await findDialog(ada).getByRole('button', { name: 'Disable' }).click()
  await page.getByRole('main').getByText('disabled', { exact: true }).waitFor()
  await openInAnyCase(dev, 'Account')
  await dev.page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  expect(await dev.page.getByRole('main').getByText(world.people.ada).count()).toBe(0)
}, 120_000)

test('an address that cannot be invited is named at its field', async () => {
  const { page } = ada
  await open(ada, 'Users')
  await page.getByRole('button', { name: 'Invite user' }).click()
  const field = findDialog(ada).getByLabel('Email address')
  await page.getByRole('checkbox', { name: /^viewer/ }).check()
  const errors = {
    'dev@juniper': 'must be one email address',
    [world.people.ada]: 'is the address of a user of the tenant',
  }
  for (const [address, error] of Object.entries(errors)) {
    await field.fill(address)
    await findDialog(ada).getByRole('button', { name: 'Invite' }).click()
    await findDialog(ada).getByText(error).waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
  }
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
}, 120_000)

test('an invitation is sent again, and the page says so, or why it was not', async () => {
  const { page } = ada
  const email = 'grace@users.example'
  const { status, body } = await world.call('POST', '/v1/identity/user-invitations', { email, role_ids: [] })
  expect(status).toBe(201)
  await sendEarlier(body.id)
  await reload(ada)
  await page.getByRole('button', { name: `Resend to ${email}` }).click()
  const sent = page.getByText(`The invitation was sent to ${email} again.`)
  await sent.waitFor()
  await page.getByRole('button', { name: `Resend to ${email}` }).click()
  await page.getByRole('alert').waitFor()
  expect(await sent.count()).toBe(0)
}, 240_000)

test('an administrator ends all sessions of a user, who learns why at the sign-in', async () => {
  const viv = await world.signIn('viv', { roleName: 'viewer' })
  await reload(ada)
  await ada.page.getByRole('link', { name: /^viv/ }).click()
  await ada.page.getByRole('button', { name: 'End all sessions' }).click()
  await findDialog(ada).getByRole('button', { name: 'End all sessions' }).click()
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
}, 240_000)

test('no request was refused, no script failed, and nothing came from elsewhere', () => {
  expect([...ada.faults, ...dev.faults]).toEqual([])
})

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

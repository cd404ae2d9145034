/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { type ConsoleWorld, openConsoleWorld, type SignedIn } from './world.ts'

/** Roles in the console: created with chosen permissions, copied, assigned to a key, explained, deleted. */
const platform = sharedPlatform()
let world: ConsoleWorld
let ada: SignedIn
let keyId = ''

beforeAll(async () => {
  world = await openConsoleWorld(platform)
  ada = await world.signIn('ada')
  const { body } = await world.call('POST', '/v1/api-key/keys', { name: 'support desk' })
  keyId = body.id
}, 300_000)
afterAll(() => world?.stop())

const open = (name: string) => ada.page.getByRole('link', { name, exact: true }).click()
const dialog = () => ada.page.getByRole('dialog')
const findBox = (resource: string, action: string) =>
  dialog().getByRole('group', { name: resource, exact: true }).getByRole('checkbox', { name: action, exact: true })
const heading = (name: string) => ada.page.getByRole('heading', { name, level: 1 }).waitFor()

/** The text of a section of the page. */
const section = (name: string | RegExp) => ada.page.getByRole('region', { name })

test('a role is created with chosen permissions, and its page names the operations that each opens', async () => {
  const { page } = ada
  await open('Roles')
  await page.getByRole('button', { name: 'Create role' }).click()
  await page.getByLabel('Name', { exact: true }).fill('support')
  await page.getByLabel('Description').fill('Sends webhooks again')
  await findBox('webhook', 'ReadDelivery').check()
  await findBox('webhook', 'RetryDelivery').check()
  await dialog().getByRole('button', { name: 'Create role' }).click()
  await heading('support')
  const text = await section('Permissions').innerText()
  expect(text).toContain('RetryDelivery')
  expect(text).toContain('retryDelivery')
  expect(text).not.toContain('CreateWebhook')
}, 120_000)

test('the role is copied, and a name that is taken is named at its field', async () => {
  const { page } = ada
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  const name = page.getByLabel('Name', { exact: true })
  await name.fill('support')
  await dialog().getByRole('button', { name: 'Create role' }).click()
  await page.locator('[aria-invalid="true"]').waitFor()
  expect(await name.getAttribute('aria-invalid')).toBe('true')
  await name.fill('support of keys')
  await findBox('apikey', 'ReadKey').check()
  await dialog().getByRole('button', { name: 'Create role' }).click()
  await heading('support of keys')
  expect(await section('Permissions').innerText()).toContain('ReadKey')
}, 120_000)

test('a key gets both roles, and its page says which role grants each permission', async () => {
  const { page } = ada
  await page.goto(`${platform.gatewayUrl}/console/keys/${keyId}`)
  await section(/this key may do/)
    .getByText('No permissions: every request is denied.')
    .waitFor()
  await page.getByRole('button', { name: 'Assign roles' }).click()
  await dialog()
    .getByRole('checkbox', { name: /^support Sends/ })
    .check()
  await dialog()
    .getByRole('checkbox', { name: /^support of keys/ })
    .check()
  await dialog().getByRole('button', { name: 'Assign roles' }).click()
  const granted = section(/this key may do/)
  await granted.getByText('by support of keys', { exact: true }).waitFor()
  const text = (await granted.innerText()).replace(/\s+/g, ' ')
  expect(text).toMatch(/ReadKey by support of keys/)
  expect(text).toMatch(/RetryDelivery by support(, | of keys, )support/)
}, 120_000)

test('the page of a role has its keys, and a role that a key has is not deleted', async () => {
  const { page } = ada
  await open('Roles')
  await page.getByRole('link', { name: 'support', exact: true }).click()
  await section('API keys with this role').getByRole('link', { name: 'support desk' }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('textbox', { name: /^Type/ }).fill('support')
  await dialog().getByRole('button', { name: 'Delete' }).click()
  await dialog().getByRole('alert').waitFor()
  expect(await dialog().getByRole('alert').innerText()).toContain(
    'API keys with the role: 1; users and open invitations: 0',
  )
  await dialog().getByRole('button', { name: 'Cancel' }).click()
}, 120_000)

test("a permission that is taken from the role is no longer the key's", async () => {
  const { page } = ada
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await findBox('webhook', 'RetryDelivery').click()
  await dialog().getByRole('button', { name: 'Save' }).click()
  await dialog().waitFor({ state: 'detached' })
  await section('API keys with this role').getByRole('link', { name: 'support desk' }).click()
  await section(/this key may do/)
    .getByText('ReadKey')
    .waitFor()
  const text = (await section(/this key may do/).innerText()).replace(/\s+/g, ' ')
  expect(text).toMatch(/RetryDelivery by support of keys/)
  expect(text).not.toMatch(/RetryDelivery by support,/)
}, 120_000)

test('a permission that another person takes from a role while its form is open is not given back', async () => {
  const { page } = ada
  const permissions = ['transaction:ReadTransaction', 'transaction:RefundTransaction']
  const { body: role } = await world.call('POST', '/v1/rbac/roles', { name: 'desk', permissions })
  await page.goto(`${platform.gatewayUrl}/console/roles/${role.id}`)
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await findBox('transaction', 'CaptureTransaction').check()
  await world.call('PUT', `/v1/rbac/roles/${role.id}`, { permissions: ['transaction:ReadTransaction'] })
  await dialog().getByRole('button', { name: 'Save' }).click()
  await dialog().waitFor({ state: 'detached' })
  const { body } = await world.call('GET', `/v1/rbac/roles/${role.id}`)
  expect(body.permissions.toSorted()).toEqual(['transaction:CaptureTransaction', 'transaction:ReadTransaction'])
}, 120_000)

test('a built-in role says that it cannot be changed, and leads back to the roles', async () => {
  const { page } = ada
  await open('Roles')
  await page.getByRole('link', { name: 'viewer', exact: true }).click()
  await page.getByText('A built-in role cannot be changed. A copy can.').waitFor()
  expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0)
  await page.getByRole('main').getByRole('link', { name: '← Roles' }).click()
  await page.getByRole('heading', { name: 'Roles', level: 1 }).waitFor()
}, 240_000)

test('a copy leaves out what the person does not have, and a role that has more is neither edited nor deleted', async () => {
  const names = ['ReadRole', 'CreateRole', 'UpdateRole', 'DeleteRole', 'ReadPermission']
  const permissions = names.map((name) => `rbac:${name}`)
  await world.call('POST', '/v1/rbac/roles', { name: 'role clerk', permissions })
  const { body: roles } = await world.call('GET', '/v1/rbac/roles?limit=200')
  const viewer: { id: string; permissions: string[] } = roles.data.find(
    ({ name }: { name: string }) => name === 'viewer',
  )
  const common = viewer.permissions.filter((permission) => permissions.includes(permission))
  const viv = await world.signIn('viv', { roleName: 'role clerk' })
  const { page } = viv
  await page.goto(`${platform.gatewayUrl}/console/roles/${viewer.id}`)
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  const form = page.getByRole('dialog')
  await form
    .getByText(`The copy leaves out ${viewer.permissions.length - common.length} permissions of viewer`)
    .waitFor()
  await page.getByLabel('Name', { exact: true }).fill('viewer of roles')
  await form.getByRole('button', { name: 'Create role' }).click()
  await page.getByRole('heading', { name: 'viewer of roles', level: 1 }).waitFor()
  const { body: after } = await world.call('GET', '/v1/rbac/roles?limit=200')
  const copy = after.data.find(({ name }: { name: string }) => name === 'viewer of roles')
  expect(copy.permissions.toSorted()).toEqual(common.toSorted())
  const { body: larger } = await world.call('POST', '/v1/rbac/roles', {
    name: 'larger',
    permissions: [...common, 'apikey:ReadKey', 'apikey:CreateKey'],
  })
  await page.goto(`${platform.gatewayUrl}/console/roles/${larger.id}`)
  await page.getByRole('heading', { name: 'larger', level: 1 }).waitFor()
  for (const name of ['Edit', 'Delete']) {
    const button = page.getByRole('button', { name: new RegExp(`^${name}`) })
    expect(await button.getAttribute('title')).toBe('needs 2 permissions of the role that you do not have')
    await button.click({ force: true })
    expect(await form.count()).toBe(0)
  }
  expect(viv.faults).toEqual([])
}, 240_000)

test('no request was refused, no script failed, and nothing came from elsewhere', () => {
  expect(ada.faults).toEqual([])
})

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { people } from '../people/world.ts'
import { type ConsoleWorld, openConsoleWorld, type SignedIn, signInAgain } from './world.ts'

/** People in the console: invited by mail, permitted what their roles permit, changed, and locked out. */
const platform = sharedPlatform()
let world: ConsoleWorld
let ada: SignedIn
let dev: SignedIn

beforeAll(async () => {
  world = await openConsoleWorld(platform)
  ada = await world.signIn('ada')
}, 300_000)
afterAll(() => world?.stop())

const open = ({ page }: SignedIn, name: string) => page.getByRole('link', { name, exact: true }).click()
const dialogOf = ({ page }: SignedIn) => page.getByRole('dialog')

async function reload({ page }: SignedIn): Promise<void> {
  await page.reload()
  await page.getByRole('heading', { level: 1 }).waitFor()
}

test('a person is invited by mail, and accepts in a browser of their own', async () => {
  const { page } = ada
  await open(ada, 'Users')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await dialogOf(ada).getByLabel('Email address').fill(people.dev)
  await page.getByRole('checkbox', { name: /^viewer/ }).check()
  await dialogOf(ada).getByRole('button', { name: 'Invite' }).click()
  await page.getByText(`Invited ${people.dev}`).waitFor()
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  const invitations = page.getByRole('table', { name: 'Open invitations' })
  await invitations.getByRole('row', { name: people.dev }).waitFor()

  dev = await world.accept('dev')
  await reload(ada)
  await page.getByRole('table', { name: 'Users', exact: true }).getByRole('link', { name: people.dev }).waitFor()
  expect(await page.getByText('No invitation is open.').count()).toBe(1)
}, 300_000)

test('a viewer reads keys, and is offered no action that a role does not permit', async () => {
  const { page } = dev
  await open(dev, 'API keys')
  const create = page.getByRole('button', { name: /^Create API key/ })
  await create.waitFor()
  expect(await create.getAttribute('aria-disabled')).toBe('true')
  expect(await create.getAttribute('title')).toBe('needs apikey:CreateKey')
  await create.click({ force: true })
  expect(await dialogOf(dev).count()).toBe(0)
}, 120_000)

test('with another role, the person is offered more with the next page', async () => {
  const { page } = ada
  const role = { name: 'key manager', description: '', permissions: ['apikey:CreateKey'] }
  expect((await world.call('POST', '/v1/rbac/roles', role)).status).toBe(201)
  await page.getByRole('link', { name: people.dev }).click()
  await page.getByRole('button', { name: 'Change roles' }).click()
  await page.getByRole('checkbox', { name: /^key manager/ }).check()
  await dialogOf(ada).getByRole('button', { name: 'Save' }).click()
  await page.getByRole('main').getByText('key manager', { exact: true }).waitFor()
  await reload(dev)
  const create = dev.page.getByRole('button', { name: 'Create API key' })
  await create.waitFor()
  expect(await create.getAttribute('aria-disabled')).toBe('false')
}, 120_000)

test('an administrator ends the session of a person, whose next action says so', async () => {
  const { page } = ada
  await page.getByRole('button', { name: /^End the session/ }).click()
  await page.getByText('No session is open.').waitFor()
  await open(dev, 'Roles')
  await dev.page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  await signInAgain(dev, /^Sign in$/, 'dev')
  await dev.page.getByRole('heading', { name: 'Roles', level: 1 }).waitFor()
  expect(await dialogOf(dev).count()).toBe(0)
}, 240_000)

test('a person who is disabled is signed out, and cannot sign in', async () => {
  const { page } = ada
  await page.getByRole('button', { name: 'Disable' }).click()
  await dialogOf(ada).getByRole('button', { name: 'Disable' }).click()
  await page.getByRole('main').getByText('disabled', { exact: true }).waitFor()
  await open(dev, 'Account')
  await dev.page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  expect(await dev.page.getByRole('main').getByText(people.ada).count()).toBe(0)
}, 120_000)

test('an address that cannot be invited is named at its field', async () => {
  const { page } = ada
  await open(ada, 'Users')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const field = dialogOf(ada).getByLabel('Email address')
  await page.getByRole('checkbox', { name: /^viewer/ }).check()
  const errors = { 'dev@juniper': 'must be an email address', [people.ada]: 'is the address of a user of the tenant' }
  for (const [address, error] of Object.entries(errors)) {
    await field.fill(address)
    await dialogOf(ada).getByRole('button', { name: 'Invite' }).click()
    await dialogOf(ada).getByText(error).waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
  }
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
}, 120_000)

test('no request was refused, no script failed, and nothing came from elsewhere', () => {
  expect([...ada.faults, ...dev.faults]).toEqual([])
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { until } from '../until.ts'
import { type ConsoleWorld, openConsoleWorld, type SignedIn, signInAgain, stepMs, tabTo } from './world.ts'

/** Keys in the console: created, shown once, revealed after a step-up, rotated, deleted. */
const platform = sharedPlatform()
let world: ConsoleWorld
let ada: SignedIn

beforeAll(async () => {
  world = await openConsoleWorld(platform)
  ada = await world.signIn('ada', { minutesAgo: 10 })
}, 300_000)
afterAll(() => world?.stop())

const requestWith = async (value: string) => {
  const headers = { authorization: `Bearer ${value}`, 'tenant-id': world.tenant.tenant_id, 'trace-id': randomUUID() }
  return (await fetch(`${platform.gatewayUrl}/v1/api-key/keys/self`, { headers })).status
}

const valueForm = /psk_dev_[A-Za-z0-9]{20,}/

/** The full value that the page shows. */
async function shownValue({ page }: SignedIn): Promise<string> {
  const dialog = page.getByText(valueForm).first()
  await dialog.waitFor()
  return valueForm.exec(await dialog.innerText())?.[0] ?? ''
}

describe('with a mouse', () => {
  test('a key is created after a fresh sign-in, without another click, and works', async () => {
    const { page } = ada
    await page.getByRole('link', { name: 'API keys', exact: true }).click()
    await page.getByRole('button', { name: 'Create API key' }).click()
    await page.getByLabel('Name', { exact: true }).fill('shop backend')
    await page.getByRole('checkbox', { name: /viewer/ }).check()
    await page.getByRole('dialog').getByRole('button', { name: 'Create API key' }).click()
    await signInAgain(ada, /Confirm at the sign-in provider/, 'ada')
    const value = await shownValue(ada)
    expect(await requestWith(value)).toBe(200)
    expect(await page.content()).not.toContain(`title="${value}`)
    await page.reload()
    await page.getByRole('link', { name: 'shop backend' }).waitFor()
    expect(await page.content()).not.toMatch(valueForm)
  }, 240_000)

  test('the value is revealed on the page of the key, and hidden when the window loses the focus', async () => {
    const { page } = ada
    await page.getByRole('link', { name: 'shop backend' }).click()
    await page.getByRole('button', { name: 'Reveal' }).click()
    expect(await requestWith(await shownValue(ada))).toBe(200)
    await page.evaluate('window.dispatchEvent(new Event("blur"))')
    await page.getByRole('button', { name: 'Reveal' }).waitFor()
    expect(await page.content()).not.toMatch(valueForm)
  }, 120_000)

  test('a wrong field is named at the field', async () => {
    const { page } = ada
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Allowed addresses').fill('not a network')
    await page.getByRole('button', { name: 'Save' }).click()
    const field = page.getByLabel('Allowed addresses')
    await page.locator('[aria-invalid="true"]').waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await page.getByRole('button', { name: 'Cancel' }).click()
  }, 120_000)
})

describe('with the keyboard', () => {
  test('a key is disabled, and its page gives the focus back', async () => {
    const { page } = ada
    await tabTo(page, 'button', 'More actions')
    await page.keyboard.press('Enter')
    await tabTo(page, 'button', 'Disable')
    await page.keyboard.press('Enter')
    await tabTo(page.getByRole('dialog').page(), 'button', /^Disable$/)
    await page.keyboard.press('Enter')
    await page.getByText('disabled', { exact: true }).waitFor()
    expect(await page.evaluate('document.activeElement?.tagName')).not.toBe('BODY')
  }, 120_000)

  test('a dialog keeps its question after a response was lost: the second press does not take back the first', async () => {
    const { page } = ada
    const keyPath = new URL(page.url()).pathname.replace('/console/keys/', '/v1/api-key/keys/')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('button', { name: 'Enable' }).click()
    const dialog = page.getByRole('dialog')
    await page.route(
      `**${keyPath}`,
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
    await dialog.getByRole('button', { name: 'Enable' }).click()
    await dialog.getByText('It may have taken effect').waitFor()
    // The page behind the dialog shows the effect.
    await page.getByText('enabled', { exact: true }).waitFor({ state: 'attached' })
    expect((await world.call('GET', keyPath)).body.enabled).toBe(true)
    await dialog.getByRole('button', { name: 'Enable' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await world.call('GET', keyPath)).body.enabled).toBe(true)
  }, 120_000)

  test('a key is deleted only after its name was typed', async () => {
    const { page } = ada
    await tabTo(page, 'button', 'More actions')
    await page.keyboard.press('Enter')
    await tabTo(page, 'button', 'Delete')
    await page.keyboard.press('Enter')
    const submit = page.getByRole('dialog').getByRole('button', { name: 'Delete' })
    await submit.waitFor()
    expect(await submit.isDisabled()).toBe(true)
    await tabTo(page, 'textbox', /Type/)
    await page.keyboard.type('shop backend')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor({ timeout: stepMs })
    expect(await page.getByRole('link', { name: 'shop backend' }).count()).toBe(0)
  }, 120_000)
})

test('Home shows the valid key that expires next, and no key that has expired', async () => {
  const { page } = ada
  const create = (name: string, inMs: number) => {
    const expiresAt = new Date(Date.now() + inMs).toISOString()
    return world.call('POST', '/v1/api-key/keys', { name, expires_at: expiresAt })
  }
  expect((await create('ends tomorrow', 86_400_000)).status).toBe(201)
  const short = await Promise.all(Array.from({ length: 6 }, (_, number) => create(`ended ${number}`, 4_000)))
  const isOver = async () => short.every(({ body }) => Date.parse(body.expires_at) < Date.now())
  await until('the keys have expired', isOver, stepMs)
  await page.goto(`${world.platform.gatewayUrl}/console`)
  const card = page.getByRole('region', { name: 'API keys to watch' })
  await card.getByRole('link', { name: 'ends tomorrow' }).waitFor()
  expect(await card.getByRole('link', { name: /^ended/ }).count()).toBe(0)
}, 240_000)

test('no request was refused, no script failed, and nothing came from elsewhere', () => {
  expect(ada.faults).toEqual([])
})

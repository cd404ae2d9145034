/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { accessibilityViolations } from '@payments/testing/peers/browser'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { type ConsoleWorld, openConsoleWorld, type SignedIn, tabTo } from './world.ts'

/** A template of messages from its first version to a message made of it. Each test needs the previous ones. */
let world: ConsoleWorld
let ada: SignedIn
let viv: SignedIn

beforeAll(async () => {
  world = await openConsoleWorld(sharedPlatform())
  ada = await world.signIn('ada')
  viv = await world.signIn('viv', { roleName: 'viewer' })
}, 300_000)
afterAll(() => world?.stop())

test('a template is written by keyboard, its variables are found, and its preview has the values', async () => {
  const { page } = ada
  await tabTo(page, 'link', 'Templates')
  await page.keyboard.press('Enter')
  await tabTo(page, 'button', 'Create template')
  await page.keyboard.press('Enter')
  await tabTo(page, 'textbox', 'Name')
  await page.keyboard.type('Order')
  await tabTo(page, 'textbox', 'Subject')
  await page.keyboard.type('Pay {{amount}}')
  await tabTo(page, 'textbox', 'Text')
  await page.keyboard.type('Dear {{guest}},\nplease pay {{amount}}: {{payment_url}}')
  await tabTo(page, 'checkbox', 'payment_url')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Order', level: 1 }).waitFor()
  await tabTo(page, 'textbox', 'guest')
  await page.keyboard.press('Control+A')
  await page.keyboard.type('Grace')
  const preview = page.getByRole('region', { name: 'Text of the message' })
  await preview.getByText('Dear Grace,').waitFor()
  expect(await preview.innerText()).toBe('Dear Grace,\nplease pay €19.99: https://pay.example.com/pay/example')
}, 240_000)

test('markup that the API rejects is named at its field', async () => {
  const { page } = ada
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('HTML', { exact: true }).fill('<script>alert(1)</script>')
  await page.getByRole('button', { name: 'Save as a version' }).click()
  await page.locator('[aria-invalid="true"]').waitFor()
  expect(await page.getByLabel('HTML', { exact: true }).getAttribute('aria-invalid')).toBe('true')
  expect(await accessibilityViolations(page)).toEqual([])
  await page.getByLabel('HTML', { exact: true }).fill('<p>Dear {{guest}}, <b>{{amount}}</b>: {{payment_url}}</p>')
  await page.getByLabel('Text', { exact: true }).fill('Dear {{guest}},\nplease transfer {{amount}}: {{payment_url}}')
  await page.getByRole('button', { name: 'Save as a version' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}, 240_000)

test('the changes between two versions are shown line by line, and the URL has the versions', async () => {
  const { page } = ada
  const changes = page.getByRole('region', { name: 'Changes of Text' })
  await changes.getByText('please transfer').waitFor()
  const lines = await changes.locator('> div').allTextContents()
  expect(lines.map((line) => line.trim())).toEqual([
    'Dear {{guest}},',
    '− removed please pay {{amount}}: {{payment_url}}',
    '+ added please transfer {{amount}}: {{payment_url}}',
  ])
  await page.getByLabel('Later version').selectOption('1')
  await page.getByText('The two versions are the same.').waitFor()
  expect(new URL(page.url()).search).toBe('?from=1&to=1')
}, 240_000)

test('an invitation uses the template, and its message is read in the outbox', async () => {
  const { page } = ada
  await page.goto(`${world.platform.gatewayUrl}/console/invitations/new`)
  await page.getByLabel('Amount').fill('10')
  await page.getByLabel('Email address').fill('guest@messages.example')
  await page.getByLabel('Template', { exact: true }).selectOption({ label: 'Order' })
  await page.getByLabel('guest').fill('Grace \u202e')
  await page.getByRole('region', { name: 'Text of the message' }).getByText('please transfer €10.00').waitFor()
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText('Invited guest@messages.example to pay 10.00 EUR.').waitFor()
  await page.getByRole('link', { name: 'Sent messages', exact: true }).click()
  const row = page.getByRole('row').filter({ hasText: 'guest@messages.example' })
  await row.getByText('Order', { exact: true }).waitFor()
  await row.getByRole('link', { name: 'guest@messages.example' }).click()
  await page.getByText('sent', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Read it in the outbox' }).click()
  await page.getByRole('button', { name: 'Read the message to guest@messages.example' }).click()
  const message = page.getByRole('region', { name: 'Text of the message' })
  await message.getByText('Dear Grace \\u202e,').waitFor()
  expect(await accessibilityViolations(page)).toEqual([])
  expect(await message.innerText()).toMatch(/please transfer €10\.00: http:\S+\/pay\/[\w-]+$/)
}, 240_000)

test('a narrow window shows a row of a list as lines with names, without the empty ones', async () => {
  const { page } = ada
  await page.goto(`${world.platform.gatewayUrl}/console/templates`)
  const size = page.viewportSize() as { width: number; height: number }
  await page.setViewportSize({ ...size, width: 360 })
  const builtIn = page.getByRole('row').filter({ hasText: 'built-in' }).first()
  await builtIn.waitFor()
  const cell = (name: string) => builtIn.locator(`[data-column="${name}"]`)
  expect(await cell('Kind').isVisible()).toBe(true)
  expect(await cell('Changed').isVisible()).toBe(false)
  await page.setViewportSize(size)
  expect(await cell('Changed').evaluate((element) => element.textContent)).toBe('')
}, 240_000)

test('a viewer reads templates and messages, and may not change them', async () => {
  const { page } = viv
  await page.getByRole('link', { name: 'Templates', exact: true }).click()
  await page.getByRole('link', { name: 'Order' }).click()
  const edit = page.getByRole('button', { name: 'Edit' })
  await edit.waitFor()
  expect(await edit.getAttribute('title')).toBe('needs communication:UpdateTemplate')
  await page.getByRole('link', { name: 'Invitations to pay', exact: true }).click()
  const invite = page.getByRole('button', { name: 'Invite to pay' })
  await invite.waitFor()
  expect(await invite.getAttribute('aria-disabled')).toBe('true')
  await page.goto(`${world.platform.gatewayUrl}/console/invitations/new`)
  await page.getByText('It needs invitetopay:StartTransaction.').waitFor()
}, 240_000)

test('a template gets a language, and a built-in one is previewed in another', async () => {
  const { page } = ada
  await page.goto(`${world.platform.gatewayUrl}/console/templates?kind=custom`)
  await page.getByRole('link', { name: 'Order' }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Language').fill('de-AT')
  await page.getByRole('button', { name: 'Save as a version' }).click()
  await page.getByText('Austrian German (de-AT)').waitFor()
  await page.goto(`${world.platform.gatewayUrl}/console/templates?kind=built_in&communication_type=EMAIL`)
  await page.getByRole('link', { name: 'receipt' }).click()
  await page.getByLabel('Language').fill('de')
  const preview = page.getByRole('region', { name: 'Text of the message' })
  await preview.getByText('Vielen Dank.').filter({ hasText: 'Datum: 24. Dezember 2026' }).waitFor()
  expect((await preview.innerText()).replaceAll('\u00a0', ' ')).toContain(
    '2 × Coffee beans: 19,99 €\n\nBetrag: 19,99 €\nZweck: Coffee beans\nDatum: 24. Dezember 2026 um 16:30 (UTC)',
  )
  expect(await accessibilityViolations(page)).toEqual([])
}, 240_000)

test('a variable that the texts do not have stays when the form is saved', async () => {
  const { page } = ada
  const variables = ['guest', 'table'].map((name) => ({ name, required: false, description: name }))
  const template = { communication_type: 'EMAIL', name: 'Stay', subject: 'Hello', text: 'Dear {{guest}}', variables }
  const { body: created } = await world.call('POST', '/v1/communication/templates', template)
  await page.goto(`${world.platform.gatewayUrl}/console/templates/${created.id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Text', { exact: true }).fill('Hello {{guest}}')
  await page.getByRole('button', { name: 'Save as a version' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const { body: saved } = await world.call('GET', `/v1/communication/templates/${created.id}`)
  expect([saved.version, saved.variables]).toEqual([2, variables])
}, 240_000)

test('a template is deleted only after its name was typed', async () => {
  const { page } = ada
  await page.goto(`${world.platform.gatewayUrl}/console/templates?kind=custom`)
  await page.getByRole('link', { name: 'Order' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByLabel(/^Type/).fill('Order')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Templates', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'receipt' }).first().waitFor()
  expect(await page.getByRole('link', { name: 'Order' }).count()).toBe(0)
}, 240_000)

test('an invitation can use the oldest of more templates than a page of the API has, and has its preview', async () => {
  const { page } = ada
  const create = (count: number) =>
    world.call('POST', '/v1/communication/templates', {
      communication_type: 'SMS',
      name: `Short ${count}`,
      text: `Text ${count}: {{payment_url}}`,
      variables: [{ name: 'payment_url', required: true, description: '' }],
    })
  const statuses: number[] = []
  while (statuses.length < 201) {
    const some = Array.from({ length: Math.min(10, 201 - statuses.length) }, (_, index) =>
      create(statuses.length + index),
    )
    statuses.push(...(await Promise.all(some)).map(({ status }) => status))
  }
  expect(new Set(statuses)).toEqual(new Set([201]))
  await page.goto(`${world.platform.gatewayUrl}/console/invitations/new`)
  await page.getByLabel('Channel').selectOption('SMS')
  const preview = page.getByRole('region', { name: 'Text of the message' })
  await preview.getByText('requests a payment of').waitFor()
  await page.getByLabel('Template', { exact: true }).selectOption({ label: 'Short 0' })
  await preview.getByText('Text 0: ').waitFor()
}, 240_000)

test('the preview of an invitation names the variable that has no value yet', async () => {
  const { page } = ada
  const { status } = await world.call('POST', '/v1/communication/templates', {
    communication_type: 'EMAIL',
    name: 'With a table',
    subject: 'Pay',
    text: 'Table {{table}}: {{payment_url}}',
    variables: [
      { name: 'payment_url', required: true, description: '' },
      { name: 'table', required: true, description: '' },
    ],
  })
  expect(status).toBe(201)
  await page.goto(`${world.platform.gatewayUrl}/console/invitations/new`)
  await page.getByLabel('Template', { exact: true }).selectOption({ label: 'With a table' })
  const message = page.getByRole('complementary', { name: 'The message' })
  expect(await message.getByRole('status').innerText()).toBe('There is no preview yet: table is required.')
  await page.getByLabel('table', { exact: true }).fill('7')
  await page.getByRole('region', { name: 'Text of the message' }).getByText('Table 7: ').waitFor()
}, 240_000)

test('no request was refused, no script failed, and nothing came from elsewhere', () => {
  expect([...ada.faults, ...viv.faults]).toEqual([])
})

/** The documentation. `DOCS_SCREENSHOTS` names a folder for pictures of its pages. @slow It drives Chromium. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import {
  accessibilityViolations,
  type Browser,
  type BrowserContext,
  openBrowser,
  type Page,
} from '@payments/testing/peers/browser'
import { startWorld, type TestTenant, type World } from './world.ts'

const screenshots = process.env['DOCS_SCREENSHOTS']
let world: World
let tenant: TestTenant
let browser: Browser
const complaints: string[] = []

beforeAll(async () => {
  browser = await openBrowser()
  world = await startWorld()
  tenant = await world.tenant()
})
afterAll(async () => {
  await browser?.close()
  await world?.stop()
})
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()))
  complaints.length = 0
})

type Options = Parameters<Browser['newContext']>[0]

/** Opens a page. `complaints` collects errors of its console, violations of its policy and requests to other hosts. */
async function open(path: string, options: Options = {}): Promise<Page> {
  return openIn(await browser.newContext(options), path)
}

async function openIn(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    if (!request.url().startsWith(world.url)) complaints.push(request.url())
  })
  await page.goto(world.url + path)
  return page
}

/** Each kind of page at both widths, and in both colour schemes. */
test.each([
  ['/docs', 360, 'light'],
  ['/docs/webhooks', 1280, 'dark'],
  ['/docs/sandbox', 360, 'dark'],
  ['/docs/api', 360, 'dark'],
  ['/docs/api', 1280, 'light'],
  ['/docs/api/api-key', 1280, 'dark'],
  ['/docs/api/events', 360, 'dark'],
  ['/docs', 1440, 'dark'],
  ['/docs/api/payment-proxy', 360, 'light'],
  ['/docs/search?q=refund', 360, 'dark'],
  ['/wrong', 360, 'dark'],
  ['/wrong', 1440, 'light'],
  ['/problems', 360, 'light'],
  ['/problems/rate_limited', 1280, 'dark'],
] as const)(
  '%s is accessible, fits %i pixels and violates no policy (%s)',
  async (path, width, colorScheme) => {
    const page = await open(path, { viewport: { width, height: 900 }, colorScheme })
    if (screenshots !== undefined) {
      mkdirSync(screenshots, { recursive: true })
      const name = `${path.slice(1).replaceAll(/\W/g, '-')}-${width}-${colorScheme}.png`
      await page.screenshot({ path: join(screenshots, name) })
    }
    await page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`)
    expect(await accessibilityViolations(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    // The console names the status of a page that does not exist.
    expect(complaints.filter((complaint) => path !== '/wrong' || !complaint.includes('404'))).toEqual([])
  },
  240_000,
)

/** Enters the credentials of the tenant. */
async function enterCredentials(page: Page, businessUnitId = ''): Promise<void> {
  await page.locator('.credentials summary').click()
  await page.getByLabel('API key or JWT').fill(tenant.admin.bearer)
  await page.getByLabel('Tenant-ID').fill(tenant.id)
  if (businessUnitId !== '') await page.getByLabel('Business unit', { exact: true }).fill(businessUnitId)
}

const locateForm = (page: Page, operation: string) => page.locator(`#${operation} details.try`)

describe('the form of an operation', () => {
  test('sends the request with the credentials and a new Trace-ID each time', async () => {
    const page = await open('/docs/api/api-key')
    await enterCredentials(page)
    const form = locateForm(page, 'readOwnKey')
    await form.locator('summary').click()
    const traceIds: string[] = []
    for (let count = 1; count <= 2; count++) {
      traceIds.push(await form.getByLabel('Trace-ID').inputValue())
      const [response] = await Promise.all([
        page.waitForResponse((reply) => reply.url().endsWith('/keys/self')),
        form.getByRole('button').click(),
      ])
      expect(response.headers()['trace-id']).toBe(traceIds.at(-1))
      await form.getByRole('status').getByText('200 OK').waitFor()
    }
    expect(await form.getByRole('status').locator('pre').textContent()).toContain(tenant.id)
    expect(new Set(traceIds).size).toBe(2)
    expect(complaints).toEqual([])
  })

  test('sends a new Idempotency-Key with each click, and with body and path, unless the reader has given one', async () => {
    const received: { key: unknown; body: string; path: string | undefined }[] = []
    world.upstream.respond((incoming, response) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('end', () => {
        const key = incoming.headers['idempotency-key']
        received.push({ key, body: Buffer.concat(chunks).toString('utf8'), path: incoming.url })
        response.writeHead(201, { 'Content-Type': 'application/json' }).end(`{"count":${received.length}}`)
      })
    })
    const unit = '0191e4a2-0000-7d11-8c55-91b6e0a7c0ff'
    const page = await open('/docs/api/webhooks')
    await enterCredentials(page, unit)
    const form = locateForm(page, 'createSubscription')
    await form.locator('summary').click()
    const send = async () => {
      const count = received.length + 1
      await form.getByRole('button').click()
      await form.getByRole('status').getByText(`"count": ${count}`).waitFor()
    }
    await send()
    await send()
    await form.getByLabel('Idempotency-Key').fill('mine')
    await send()
    await send()
    await form.getByLabel('Body').fill('{"destination_url": "https://example.com/"}')
    await send()
    await form.locator('[name="path:business_unit_id"]').fill(tenant.id)
    await send()
    await page.getByLabel('Business unit', { exact: true }).fill(unit)
    await send()
    const [first, again, own, repeated, changed, elsewhere, filled] = received
    expect(first?.path).toBe(`/v1/webhooks/${unit}/webhooks`)
    expect(first?.key).toMatch(/^[0-9a-f-]{36}$/)
    expect([own?.key, repeated?.key]).toEqual(['mine', 'mine'])
    expect(changed?.body).toBe('{"destination_url": "https://example.com/"}')
    expect([elsewhere?.path, filled?.path]).toEqual([
      `/v1/webhooks/${tenant.id}/webhooks`,
      `/v1/webhooks/${unit}/webhooks`,
    ])
    expect(new Set([first, again, changed, elsewhere, filled].map((request) => request?.key)).size).toBe(5)
  })

  test('has the credentials on the next page of the tab, and not in another tab', async () => {
    const context = await browser.newContext()
    const page = await openIn(context, '/docs/api/rbac')
    await enterCredentials(page)
    await page.goto(`${world.url}/docs/api/api-key`)
    expect(await page.getByLabel('Tenant-ID').inputValue()).toBe(tenant.id)
    expect(await page.getByLabel('API key or JWT').inputValue()).toBe(tenant.admin.bearer)
    expect(page.url()).not.toContain(tenant.admin.bearer)
    const another = await openIn(context, '/docs/api/api-key')
    expect(await another.getByLabel('API key or JWT').inputValue()).toBe('')
  })

  test('shows the problem of a rejected request', async () => {
    const page = await open('/docs/api/rbac')
    const form = locateForm(page, 'listPermissions')
    await form.locator('summary').click()
    await form.getByRole('button').click()
    await expect(form.getByRole('status').getByText('invalid_credentials').waitFor()).resolves.toBeUndefined()
  })
})

describe('the keyboard', () => {
  test('reaches the content with the first key, and an operation with the following ones', async () => {
    const page = await open('/docs/api/rbac')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`location.hash === '#content'`)
    await page.keyboard.press('Tab')
    expect(await page.evaluate(`document.activeElement.closest('main') !== null`)).toBe(true)
    await locateForm(page, 'listPermissions').locator('summary').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('INPUT')
  })

  test('filters the operations', async () => {
    const page = await open('/docs/api')
    await page.getByLabel('Filter operations').press('r')
    await page.getByLabel('Filter operations').fill('refund')
    const shown = page.locator('ul.operations li:visible')
    expect(await shown.count()).toBeGreaterThan(0)
    for (const text of await shown.allTextContents()) expect(text.toLowerCase()).toContain('refund')
  })
})

describe('the examples', () => {
  const shown = (page: Page, operation: string) => page.locator(`#${operation} .languages .code:visible`)

  test('change their language with the arrow keys, all at once, and keep it on the next page', async () => {
    const page = await open('/docs/api/payment-proxy')
    expect(await shown(page, 'captureTransaction').textContent()).toContain('curl -X POST')
    await page.locator('#createTransaction-curl').focus()
    await page.keyboard.press('ArrowRight')
    expect(await shown(page, 'createTransaction').textContent()).toContain('payments.createTransaction({')
    expect(await shown(page, 'captureTransaction').textContent()).toContain('payments.captureTransaction({')
    await page.goto(`${world.url}/docs/api/rbac`)
    expect(await shown(page, 'listRoles').textContent()).toContain('payments.listRoles()')
    expect(complaints).toEqual([])
  })

  test('are copied as they are shown', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await openIn(context, '/docs/api/rbac')
    await page.locator('#createRole').getByText('Python', { exact: true }).click()
    const example = shown(page, 'createRole')
    const text = await example.locator('pre').textContent()
    expect(text).toContain('call(\n    "POST",')
    await example.getByRole('button', { name: 'Copy' }).focus()
    await page.keyboard.press('Enter')
    await example.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(text)
  })

  test('have every language without JavaScript', async () => {
    const page = await open('/docs/api/rbac', { javaScriptEnabled: false })
    await page.locator('#createRole').getByText('TypeScript', { exact: true }).click()
    expect(await shown(page, 'createRole').textContent()).toContain('payments.createRole({')
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
  })
})

describe('the search', () => {
  const results = (page: Page) => page.locator('#results li')

  test('finds guides, operations, events and problems, the best first', async () => {
    const page = await open('/docs')
    await page.getByRole('link', { name: 'Search', exact: true }).click()
    // The field has the focus: the query needs no click.
    await page.locator('#search:focus').waitFor()
    await page.keyboard.type('rotate secret')
    await page.getByText('Rotate the signing secret').first().waitFor()
    expect(await results(page).first().textContent()).toContain('Operation')
    expect(page.url()).toContain('?q=rotate%20secret')
    await page.getByLabel('Search guides').fill('idempotency_key_reused')
    await results(page).getByText('Problem').first().waitFor()
    await results(page).getByRole('link').first().click()
    await page.waitForURL('**/problems/idempotency_key_reused')
    await page.goBack()
    await results(page).first().waitFor()
    await page.getByLabel('Search guides').fill('xylophone')
    await page.getByText('0 results').waitFor()
    expect(complaints).toEqual([])
  })

  test.each(['3ds', '3D Secure', '3-D Secure'])('finds the guide about 3-D Secure by %s', async (query) => {
    const page = await open(`/docs/search?q=${encodeURIComponent(query)}`)
    await results(page).first().waitFor()
    expect((await results(page).allTextContents()).join()).toContain('confirmation')
  })

  test('shows what it finds as text, and says what it cannot search for', async () => {
    const page = await open('/docs/search?q=%3Cimg%20src%3Dx%3E')
    await page.getByText('0 results').waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    await page.getByRole('searchbox').fill('%')
    await page.getByText('Enter a word of at least two letters.').waitFor()
    expect(complaints).toEqual([])
  })

  test('without JavaScript, leads to the lists', async () => {
    const page = await open('/docs/search', { javaScriptEnabled: false })
    await expect(page.getByText('The search needs JavaScript').waitFor()).resolves.toBeUndefined()
  })
})

test('the entry of a gateway leads a browser to the guides', async () => {
  const page = await open('/')
  expect(page.url()).toBe(`${world.url}/docs`)
  expect(await page.locator('.diagram svg[role=img] title').textContent()).toContain('Payment Service')
  expect(complaints).toEqual([])
})

test('without JavaScript, the first operation is on the page', async () => {
  const page = await open('/docs/api/payment-proxy', { javaScriptEnabled: false })
  expect(await page.locator('.endpoint').first().textContent()).toContain('/v1/payment-proxy/')
})

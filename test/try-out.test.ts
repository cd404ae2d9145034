/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Browser, openBrowser, type Page } from '@payments/testing/peers/browser'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { apiDocument, type Operation } from '../packages/docs-site/src/reference/document.ts'
import { type Onboarded, onboard } from './tenant.ts'

/**
 * The forms of the API reference, in a browser on a running platform: the example of an operation that creates is sent
 * twice, and succeeds twice. The reader enters the identifiers that a path or a body needs.
 */
const platform = sharedPlatform()
let tenant: Onboarded
let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
  tenant = await onboard(platform, 'Forms')
}, 240_000)
afterAll(() => browser?.close())

function isComplete(operation: Operation): boolean {
  const example = operation.body?.media.example
  const ids = operation.path.match(/\{(?!business_unit_id)\w+\}/g)
  return operation.method === 'POST' && example !== undefined && ids === null
}

const operations = apiDocument().services.flatMap((service) => service.operations.filter(isComplete))

async function openService(service: string): Promise<Page> {
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(`${platform.gatewayUrl}/docs/api/${service}`)
  await page.locator('.credentials summary').click()
  await page.getByLabel('API key or JWT').fill(tenant.api_key.value)
  await page.getByLabel('Tenant-ID').fill(tenant.tenant_id)
  await page.getByLabel('Business unit', { exact: true }).fill(tenant.business_unit_id)
  const viewer = tenant.roles.find(({ name }) => name === 'viewer')?.id ?? ''
  await page.getByRole('textbox', { name: 'Role', exact: true }).fill(viewer)
  return page
}

test.each(apiDocument().services.map(({ name }) => name))(
  'the reference of %s fits a narrow window',
  async (service) => {
    const page = await browser.newPage({ viewport: { width: 180, height: 900 } })
    await page.goto(`${platform.gatewayUrl}/docs/api/${service}`)
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    await page.close()
  },
)

test('the operations that create are among them', () => {
  const names = operations.map(({ name }) => name)
  const expected = ['createAndAuthorizeTransaction', 'createRole', 'createBusinessUnit', 'sendCommunication']
  expect(names).toEqual(expect.arrayContaining([...expected, 'createUserInvitation']))
})

test('no form names an identifier of the tenant of the examples', async () => {
  const pages = apiDocument().services.map(async ({ name }) => {
    const html = await (await fetch(`${platform.gatewayUrl}/docs/api/${name}`)).text()
    return [...html.matchAll(/<textarea[^>]*>([^<]*)</g)].map(([, body = '']) => body)
  })
  const bodies = (await Promise.all(pages)).flat()
  expect(bodies.length).toBeGreaterThan(30)
  expect(bodies.filter((body) => /[0-9a-f]{8}-[0-9a-f]{4}-/.test(body))).toEqual([])
  const inserted = bodies.flatMap((body) => [...body.matchAll(/&lt;(\w+_id)&gt;/g)].map(([, id]) => id))
  expect(new Set(inserted)).toEqual(new Set(['business_unit_id', 'role_id']))
})

test.each(operations.map((operation) => [operation.name, operation.service] as const))(
  'the form of %s succeeds at the first and at the second click',
  async (name, service) => {
    const page = await openService(service)
    try {
      const form = page.locator(`#${name} details.try`)
      await form.locator('summary').click()
      const statuses: number[] = []
      for (let click = 1; click <= 2; click++) {
        const [response] = await Promise.all([
          page.waitForResponse((reply) => reply.request().method() === 'POST'),
          form.getByRole('button').click(),
        ])
        statuses.push(response.status())
        await form.getByRole('status').locator('strong').waitFor()
        await page.waitForFunction(`document.querySelector('#${name} details.try button').disabled === false`)
      }
      expect(statuses.filter((status) => status >= 300)).toEqual([])
      expect(statuses).toHaveLength(2)
    } finally {
      await page.close()
    }
  },
  240_000,
)

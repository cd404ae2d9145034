/** A tenant with an administrator whose browser is signed in, and the endpoint of its one subscription. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Cookie, signInAs } from '@payments/devkit/sign-in/sign-in-as'
import { type Browser, openBrowser, type Page } from '@payments/testing/peers/browser'
import type { TestStack } from '@payments/testing/platform/local-stack'
import type { Cleanup } from '../measure/child-process.ts'

export type Call = (method: string, path: string, body?: object) => Promise<{ status: number; body: any }>

export interface Tenant {
  readonly tenantId: string
  readonly unitId: string
  readonly keyValue: string
  readonly headers: Readonly<Record<string, string>>
  readonly call: Call
}

/** Responds at once, or holds its responses. */
interface Endpoint {
  readonly url: string
  isHeld: boolean
  readonly held: (() => void)[]
}

export interface Shop extends Tenant {
  readonly stack: TestStack
  readonly browser: Browser
  readonly endpoint: Endpoint
  readonly subscriptionId: string
  /** Opens a page of the console in its own browser profile. `before` runs before the page loads. */
  readonly open: (path: string, before?: (page: Page) => Promise<void>) => Promise<Page>
}

const administrator = 'ada'

export async function openShop(stack: TestStack, cleanups: Cleanup[]): Promise<Shop> {
  const tenant = await onboard(stack, 'Console', 'ada@juniper.example')
  const cookies = await signInAs(stack.gatewayUrl, administrator)
  const browser = await openBrowser()
  cleanups.push(() => browser.close())
  const endpoint = await openEndpoint(cleanups)
  const { status, body } = await tenant.call('POST', `/v1/webhooks/${tenant.unitId}/webhooks`, {
    destination_url: endpoint.url,
    event_types: ['webhooks.test'],
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return {
    ...tenant,
    stack,
    browser,
    endpoint,
    subscriptionId: body.id,
    open: async (path, before) => {
      const page = await openPage(browser, stack.gatewayUrl, cookies)
      await before?.(page)
      await page.goto(`${stack.gatewayUrl}/console${path}`)
      return page
    },
  }
}

export async function onboard(stack: TestStack, name: string, email?: string): Promise<Tenant> {
  const invited = email === undefined ? [] : ['--admin-email', email]
  const { stdout } = await stack.payctl('tenant', 'create', '--name', name, '--json', '--show-key', ...invited)
  const created = JSON.parse(stdout) as { tenant_id: string; business_unit_id: string; api_key: { value: string } }
  const { tenant_id: tenantId, business_unit_id: unitId, api_key: key } = created
  const headers = { Authorization: `Bearer ${key.value}`, 'Tenant-ID': tenantId }
  return { tenantId, unitId, keyValue: key.value, headers, call: createCaller(stack.gatewayUrl, headers) }
}

const callTimeoutMs = 30_000

export const createCaller =
  (gatewayUrl: string, headers: Readonly<Record<string, string>>): Call =>
  async (method, path, body) => {
    const response = await fetch(gatewayUrl + path, {
      method,
      headers: { ...headers, 'Trace-ID': randomUUID(), 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(callTimeoutMs),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
  }

const conditionMsMax = 60_000

/** Resolves in the frame in which the condition, an expression, is true in the page. Rejects after a minute. */
export const holdsIn = (page: Page, condition: string): Promise<void> =>
  page.evaluate(`new Promise((resolve, reject) => {
    const deadlineAt = performance.now() + ${conditionMsMax}
    const look = () => {
      if (${condition}) resolve()
      else if (performance.now() > deadlineAt) reject(new Error(${JSON.stringify(`not true in the page: ${condition}`)}))
      else requestAnimationFrame(look)
    }
    look()
  })`)

async function openEndpoint(cleanups: Cleanup[]): Promise<Endpoint> {
  const held: (() => void)[] = []
  const endpoint = { url: '', isHeld: false, held }
  const server = createServer((request, response) => {
    const respond = () => response.writeHead(200).end()
    request.resume().on('end', () => (endpoint.isHeld ? held.push(respond) : respond()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => server.close())
  endpoint.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return endpoint
}

async function openPage(browser: Browser, gatewayUrl: string, cookies: readonly Cookie[]): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } })
  const { hostname: domain } = new URL(gatewayUrl)
  await context.addCookies(
    cookies.map(({ name, value }) => ({
      name,
      value,
      domain,
      path: '/',
      secure: true,
      httpOnly: true,
      sameSite: 'Strict' as const,
    })),
  )
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  return page
}

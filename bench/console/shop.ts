/** A tenant with an administrator whose browser is signed in, and the endpoint of its one subscription. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Cookie, signInAs } from '@payments/devkit/sign-in/sign-in-as'
import { type Browser, openBrowser, type Page } from '@payments/testing/peers/browser'
import type { TestStack } from '@payments/testing/platform/local-stack'
import { type Credential, send } from '../load/request.ts'
import { createTenant, subscribe, type Tenant } from '../load/tenant.ts'
import type { Cleanup } from '../measure/child-process.ts'

export type Call = (method: string, path: string, body?: object) => Promise<{ status: number; body: any }>

/** Responds at once, or holds its responses. */
interface Endpoint {
  readonly url: string
  isHeld: boolean
  readonly held: (() => void)[]
}

export interface Shop extends Tenant {
  readonly call: Call
  readonly stack: TestStack
  readonly browser: Browser
  readonly endpoint: Endpoint
  /** Opens a page of the console in its own browser profile. `before` runs before the page loads. */
  readonly open: (path: string, before?: (page: Page) => Promise<void>) => Promise<Page>
}

const administrator = 'ada'

export async function openShop(stack: TestStack, cleanups: Cleanup[]): Promise<Shop> {
  const tenant = await createTenant(stack, '--admin-email', 'ada@juniper.example')
  const cookies = await signInAs(stack.gatewayUrl, administrator)
  const browser = await openBrowser()
  cleanups.push(() => browser.close())
  const endpoint = await openEndpoint(cleanups)
  await subscribe(stack.gatewayUrl, tenant, endpoint.url, ['payment-proxy.transactions.create'])
  return {
    ...tenant,
    call: createCaller(stack.gatewayUrl, tenant.credential),
    stack,
    browser,
    endpoint,
    open: async (path, before) => {
      const page = await openPage(browser, stack.gatewayUrl, cookies)
      await before?.(page)
      await page.goto(`${stack.gatewayUrl}/console${path}`)
      return page
    },
  }
}

export const createCaller =
  (gatewayUrl: string, credential: Credential): Call =>
  async (method, path, body) => {
    const response = await send(gatewayUrl, { method, path, body, timeoutMs: 30_000, ...credential })
    if (response.status === 0) throw new Error(`the response to ${method} ${path} was lost`)
    return { status: response.status, body: response.body === '' ? {} : JSON.parse(response.body) }
  }

const conditionMsMax = 60_000
/** Of many deliveries, or of every wait. */
export const backlogMsMax = 120_000

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

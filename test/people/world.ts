import { freePorts } from '@payments/devkit/machine/ports'
import { type Browser, openBrowser, type Page } from '@payments/testing/peers/browser'
import { tcpProxy } from '@payments/testing/peers/tcp-proxy'
import { startTestStack, type TestStack } from '@payments/testing/platform/local-stack'
import { type Call, createCaller, type Onboarded } from '../tenant.ts'
import { until } from '../until.ts'

/** The people that the development provider knows: the text of their buttons, and their email addresses. */
export const people = {
  ada: 'ada@juniper.example',
  dev: 'dev@juniper.example',
  viv: 'viv@juniper.example',
} as const

export type Person = keyof typeof people

/** A platform whose broker can be cut off, a browser, and a tenant that ada was invited into as administrator. */
export async function openWorld() {
  const [port = 0] = await freePorts(1)
  const broker = await tcpProxy(port)
  const browser = await openBrowser()
  const platform = await startTestStack({
    amqpUrl: broker.url,
    without: ['webhooks', 'webhooks-dispatcher', 'payment-proxy', 'invite-to-pay'],
  })
  const stop = async () => {
    await browser.close()
    await platform.stop()
    await broker.cut()
  }
  try {
    const tenant = await onboardWithAdministrator(platform, 'Juniper Coffee', people.ada)
    return {
      platform,
      broker,
      browser,
      tenant,
      call: createCaller(platform, tenant.api_key.value, tenant.tenant_id),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>
export type { Page }

async function onboardWithAdministrator(platform: TestStack, name: string, email: string): Promise<Onboarded> {
  const args = ['tenant', 'create', '--name', name, '--admin-email', email, '--json', '--show-key']
  const { code, stdout, output } = await platform.payctl(...args)
  if (code !== 0) throw new Error(output)
  return JSON.parse(stdout) as Onboarded
}

/** A page in its own browser profile. */
export async function newPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext()
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  return page
}

/** From the page of sign-in providers: two clicks, and one that accepts a first invitation. Resolves in the console. */
export async function chooseProviderAndPerson(page: Page, person: Person): Promise<void> {
  await page.getByRole('link', { name: /development/i }).click()
  await page.getByRole('button', { name: new RegExp(person, 'i') }).click()
  const accept = page.getByRole('button', { name: /^Accept the invitation of/ })
  const pages = page.getByRole('navigation', { name: 'Pages' })
  await accept.or(pages).first().waitFor()
  if (await accept.isVisible()) await accept.click()
  await pages.waitFor()
}

export async function signIn({ platform, browser }: World, person: Person): Promise<Page> {
  const page = await newPage(browser)
  await page.goto(`${platform.gatewayUrl}/console`)
  await chooseProviderAndPerson(page, person)
  return page
}

/** The link of the newest mail to the address, from the outbox of communication. */
export async function invitationLink(call: Call, email: string): Promise<string> {
  let link: string | undefined
  const isSent = async () => {
    const { body } = await call('GET', `/v1/communication/outbox?recipient=${encodeURIComponent(email)}`)
    link = /https?:\/\/\S+\/session\/accept#[\w-]+/.exec(body.data?.[0]?.text ?? '')?.[0]
    return link !== undefined
  }
  await until(`invitation of ${email} in the outbox`, isSent, 60_000)
  return String(link)
}

/** Sends a request from the script of the page, with its session cookie. */
export const fetchIn = (
  page: Page,
  method: string,
  path: string,
): Promise<{ status: number; code?: string; traceId: string | null }> =>
  page.evaluate(
    async ([verb, target]) => {
      const headers = { 'X-Console': '1', 'Trace-ID': crypto.randomUUID() }
      const response = await fetch(target, { method: verb, headers })
      const text = await response.text()
      const traceId = response.headers.get('Trace-ID')
      return { status: response.status, traceId, ...(text === '' ? {} : JSON.parse(text)) }
    },
    [method, path] as [string, string],
  )

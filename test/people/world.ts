import type { Browser, Page } from '@payments/testing/peers/browser'
import type { Platform } from '@payments/testing/platform/local-stack'
import { type Call, callPayctl, type Onboarded } from '../tenant.ts'
import { until } from '../until.ts'

/** A tenant that this person may sign in to as administrator, with a mail or without it. */
export async function onboardWithAdministrator(platform: Platform, email: string): Promise<Onboarded> {
  const args = ['tenant', 'create', '--name', 'Juniper Coffee', '--admin-email', email, '--json', '--show-key']
  const { code, stdout, output } = await callPayctl(platform, ...args)
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

/** The list of sign-in providers, where it is shown, and the page of the development provider. */
export async function chooseAtProvider(page: Page, email: string): Promise<void> {
  const provider = page.getByRole('link', { name: /development/i })
  const address = page.getByLabel('Another email address')
  await provider.or(address).waitFor()
  if (await provider.isVisible()) await provider.click()
  await address.fill(email)
  await address.press('Enter')
}

/** The same, with the acceptance of a first invitation. Resolves in the console. */
export async function signIn(page: Page, email: string): Promise<void> {
  await chooseAtProvider(page, email)
  const accept = page.getByRole('button', { name: /^Accept the invitation of/ })
  const pages = page.getByRole('navigation', { name: 'Pages' })
  await accept.or(pages).first().waitFor()
  if (await accept.isVisible()) await accept.click()
  await pages.waitFor()
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

/** Our card page in the frame of a pay page, in a real browser. */

import { type BrowserContextOptions, openBrowser, type Page } from '@payments/testing/peers/browser'
import { receiver } from '@payments/testing/peers/receiver'
import { type CardPage, renderCardPage } from '../src/card-page/render.ts'
import { cardPageUrl } from '../src/domain/card-page-ticket.ts'
import { activePage, pageServer, sandboxForm } from './pay-pages.ts'
import { type StripeInBrowser, serveStripe } from './stripe-js.ts'

export const cardPage: CardPage = {
  amount: 5497,
  currency: 'EUR',
  publishableKey: 'pk_test_51HxAbCd',
  primaryColor: '#0f766e',
}

const code = { id: '0191e4a2-0000-7d11-8c55-91b6e0a7c040', codeHash: Buffer.alloc(32) }

export interface Opened {
  readonly page: Page
  readonly card: ReturnType<Page['frameLocator']>
  readonly fields: ReturnType<Page['frameLocator']>
  readonly stripe: StripeInBrowser
}

type Options = BrowserContextOptions & {
  readonly url?: string
  readonly fault?: StripeInBrowser['fault']
  readonly hasClock?: boolean
  /** Status of each response of the card page, in place of the page. */
  readonly status?: number
}

/** A browser with a server of pay pages and one of card pages. */
export async function startCardPages() {
  const [browser, payServer, cardServer] = await Promise.all([openBrowser(), pageServer(), receiver()])
  const complaints: string[] = []
  let shown: CardPage | null = cardPage
  let failure: number | undefined
  cardServer.respondWith(({ path }) => {
    if (failure !== undefined) return { status: failure }
    const lang = new URL(path, 'http://x').searchParams.get('lang') ?? undefined
    const { status, html, policy } = renderCardPage(shown, { lang, payOrigin: new URL(payServer.url).origin })
    const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }
    return { status, headers: { ...headers, 'referrer-policy': 'no-referrer' }, body: html }
  })
  const url = (locale = 'en-GB') => cardPageUrl(new URL(cardServer.url).origin, code, locale)
  const posts = () => payServer.received.filter(({ method }) => method === 'POST').map(({ body }) => body.toString())
  return {
    browser,
    payServer,
    cardServer,
    /** Errors of the console of the opened pages, and violations of their policies. */
    complaints,
    url,
    show: (page: CardPage | null) => {
      shown = page
    },
    /** Opens a pay page with our card page. */
    open: async ({
      url: framed = url(),
      fault = 'none',
      hasClock = false,
      status: failing,
      ...options
    }: Options = {}): Promise<Opened> => {
      shown = cardPage
      failure = failing
      const context = await browser.newContext({ viewport: { width: 360, height: 740 }, ...options })
      const stripe = await serveStripe(context)
      stripe.fault = fault
      // The test moves the time of the page.
      if (hasClock) await context.clock.install()
      const page = await context.newPage()
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
      })
      page.on('pageerror', (error) => complaints.push(String(error)))
      const entry = { kind: 'frame', url: framed, isTrusted: true, isOurs: true } as const
      // The load event waits for the frame, and so for Stripe.
      await page.goto(payServer.show({ ...activePage, form: { ...sandboxForm, entry } }), {
        waitUntil: 'domcontentloaded',
      })
      const card = page.frameLocator('#card-page')
      return { page, card, fields: card.frameLocator('iframe'), stripe }
    },
    posts,
    /** The latest form that the pay page submitted, once there are `count`. */
    submitted: async (count: number) => {
      await payServer.waitFor(({ method }) => method === 'POST', { count })
      return Object.fromEntries(new URLSearchParams(posts().at(-1)))
    },
    reset: async () => {
      await Promise.all(browser.contexts().map((context) => context.close()))
      complaints.length = 0
    },
    stop: () => Promise.all([browser.close(), payServer.close(), cardServer.close()]),
  }
}

export type CardPages = Awaited<ReturnType<typeof startCardPages>>

export const payButton = ({ card }: Pick<Opened, 'card'>) => card.locator('#pay')

/** Waits until the fields can be used. */
export async function ready(opened: Opened): Promise<Opened> {
  await opened.card.locator('#pay:enabled').waitFor()
  return opened
}

export const findFrame = (page: Page) => page.frames()[1] ?? page.mainFrame()

/** Waits for a condition in a frame. The policy of the card page does not permit `waitForFunction`. */
export async function becomes(frame: Pick<Page, 'evaluate'>, condition: string): Promise<void> {
  const deadlineAt = Date.now() + 30_000
  while (!(await frame.evaluate(condition))) {
    if (Date.now() > deadlineAt) throw new Error(`it did not become true within 30 s: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

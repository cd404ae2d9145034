import { setTimeout as delay } from 'node:timers/promises'
import { decideAtBank } from '../runner/bank.ts'

/** A payer with a browser that has no JavaScript: reads the page, posts its form, follows the redirect, reloads. */

const pageStatuses = {
  active: 200,
  confirming: 200,
  processing: 200,
  completed: 200,
  expired: 410,
  canceled: 410,
} as const
export type PageState = keyof typeof pageStatuses

interface Page {
  readonly status: number
  readonly state: PageState
  /** Path and fields of the form, which pays, or cancels a payment that waits for the payer. Null without a form. */
  readonly form: { readonly action: string; readonly nonce: string } | null
  /** The page of the bank. Null unless confirming. */
  readonly bank: string | null
}

const requestTimeoutMs = 25_000
const deadlineMs = 90_000
const pauseMs = 150
/** The service takes five payments a minute of a code. */
const submissionsMax = 5

/** Undefined while a process is away. Throws when the page has no known state. */
export async function openPage(link: string): Promise<Page | undefined> {
  return parsePage(await request(link, { headers: { 'accept-language': 'de-DE' } }))
}

/**
 * Pays with the first card, after a decline with the next one, confirms at the bank where the page leads there, and
 * reloads a page that does not come. Returns the last
 * state that the payer saw. Undefined when nothing came before the deadline.
 */
export async function pay(link: string, cards: readonly string[]): Promise<PageState | undefined> {
  const left = [...cards]
  let seen: PageState | undefined
  let submissions = 0
  for (const deadlineAt = performance.now() + deadlineMs; performance.now() < deadlineAt; await delay(pauseMs)) {
    const page = await openPage(link)
    seen = page?.state ?? seen
    if (page === undefined) continue
    if (page.state === 'confirming') {
      await confirm(link, page)
      continue
    }
    const [card] = left
    if (page.form === null || card === undefined || submissions === submissionsMax) return page.state
    submissions += 1
    // A redirect means that the attempt is recorded. Otherwise the payer reloads, and tries the card again.
    if ((await submit(link, page.form, card)) === 303) left.shift()
  }
  return seen
}

/** Mostly confirms. Some payers decline, close the tab, press Back, or pay in another way. */
async function confirm(link: string, { bank, form }: Page): Promise<void> {
  const luck = Math.random()
  if (luck < 0.1 || bank === null || form === null) return
  if (luck < 0.2) {
    await request(new URL(form.action, link).href, buildPost(link, { nonce: form.nonce }))
    return
  }
  const returnUrl = await decideAtBank(bank, luck < 0.3 ? 'decline' : 'confirm')
  // One in four never returns from the bank.
  if (returnUrl !== null && Math.random() < 0.75) await request(returnUrl, { redirect: 'manual' })
}

const buildPost = (link: string, fields: Record<string, string>): RequestInit => ({
  method: 'POST',
  body: new URLSearchParams(fields),
  headers: { origin: new URL(link).origin, 'sec-fetch-site': 'same-origin' },
  redirect: 'manual',
})

async function submit(link: string, { action, nonce }: NonNullable<Page['form']>, card: string) {
  const url = new URL(action, link)
  const fields = { nonce, payment_method: 'CREDIT_CARD', cc_token: `tok_sandbox_${card}` }
  const response = await request(url.href, buildPost(link, fields))
  if (response === undefined) return undefined
  if (![303, 409, 410, 429].includes(response.status) && response.status < 500)
    throw new Error(`a payment: ${response.status} ${response.html}`)
  return response.status
}

interface PageResponse {
  readonly status: number
  readonly html: string
}

async function request(url: string, init: RequestInit): Promise<PageResponse | undefined> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(requestTimeoutMs) })
    return { status: response.status, html: await response.text() }
  } catch {
    return undefined
  }
}

function parsePage(response: PageResponse | undefined): Page | undefined {
  if (response === undefined || response.status >= 500) return undefined
  const { status, html } = response
  const [, written = ''] = /<html [^>]*data-state="([a-z_]+)"/.exec(html) ?? []
  const state = (Object.keys(pageStatuses) as PageState[]).find((one) => one === written)
  if (state === undefined || pageStatuses[state] !== status) throw new Error(`a page: ${status} ${html}`)
  const [, action] = /<form method="post" action="([^"]+)"/.exec(html) ?? []
  const [, nonce] = /name="nonce" value="([^"]+)"/.exec(html) ?? []
  const [, bank] = /id="bank"[^>]* href="([^"]+)"/.exec(html) ?? []
  const form = action === undefined || nonce === undefined ? null : { action, nonce }
  return { status, state, form, bank: bank?.replaceAll('&amp;', '&') ?? null }
}

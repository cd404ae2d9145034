import { setTimeout as delay } from 'node:timers/promises'

/** A payer with a browser that has no JavaScript: reads the page, posts its form, follows the redirect, reloads. */

const headings = {
  active: /Amount to pay/,
  processing: /payment is in progress/,
  completed: /Payment complete/,
  expired: /link has expired/,
  canceled: /link was canceled/,
} as const
export type PageState = keyof typeof headings

const statusOf: Readonly<Record<PageState, number>> = {
  active: 200,
  processing: 200,
  completed: 200,
  expired: 410,
  canceled: 410,
}

interface Page {
  readonly status: number
  readonly state: PageState
  /** Path and fields of the form. Null without a form. */
  readonly form: { readonly action: string; readonly nonce: string } | null
}

const requestTimeoutMs = 25_000
const deadlineMs = 90_000
const pauseMs = 150
/** The service takes five payments a minute of a code. */
const submissionsMax = 5

/** Undefined while a process is away. Throws when the page has no known state. */
export async function openPage(link: string): Promise<Page | undefined> {
  return pageOf(await request(link, { headers: { 'accept-language': 'de-DE' } }))
}

/**
 * Pays with the first card, after a decline with the next one, and reloads a page that does not come. Returns the last
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
    const [card] = left
    if (page.form === null || card === undefined || submissions === submissionsMax) return page.state
    submissions += 1
    // A redirect means that the attempt is recorded. Otherwise the payer reloads, and tries the card again.
    if ((await submit(link, page.form, card)) === 303) left.shift()
  }
  return seen
}

async function submit(link: string, { action, nonce }: NonNullable<Page['form']>, card: string) {
  const url = new URL(action, link)
  const response = await request(url.href, {
    method: 'POST',
    body: new URLSearchParams({ nonce, payment_method: 'CREDIT_CARD', cc_token: `tok_sandbox_${card}` }),
    headers: { origin: url.origin, 'sec-fetch-site': 'same-origin' },
    redirect: 'manual',
  })
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

function pageOf(response: PageResponse | undefined): Page | undefined {
  if (response === undefined || response.status >= 500) return undefined
  const { status, html } = response
  const state = (Object.keys(headings) as PageState[]).find((one) => headings[one].test(html))
  if (state === undefined || statusOf[state] !== status) throw new Error(`a page: ${status} ${html}`)
  const [, action] = /<form method="post" action="([^"]+)"/.exec(html) ?? []
  const [, nonce] = /name="nonce" value="([^"]+)"/.exec(html) ?? []
  return { status, state, form: action === undefined || nonce === undefined ? null : { action, nonce } }
}

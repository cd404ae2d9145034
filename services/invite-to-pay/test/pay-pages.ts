/** Models of pay pages, one per state, and a server that shows them with their policy. */
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import type { Texts } from '@payments/texts/texts'
import type { Merchant, Payment, PaymentForm, PayPage } from '../src/page/model.ts'
import { renderPayPage } from '../src/page/render.ts'

export const merchant: Merchant = {
  name: 'Berlin Coffee',
  logoUrl: null,
  primaryColor: '#0f766e',
  supportEmail: 'help@berlin-coffee.example',
}

export const payment: Payment = {
  amount: 5497,
  currency: 'EUR',
  items: [
    { name: 'Coffee beans, 1 kg', unit_amount: 1999, quantity: 2 },
    { name: 'Paper filters, 100 pieces', unit_amount: 1499, quantity: 1 },
  ],
  description: 'Your order of 21 November',
  payerName: 'Ada Lovelace',
  expiresAt: new Date('2026-11-22T10:00:00Z'),
  timezone: 'Europe/Berlin',
  reference: 'ORDER-2026-1142',
}

export const sandboxForm: PaymentForm = { action: '/pay/x', nonce: 'the-nonce', entry: { kind: 'sandbox' } }

export const activePage: PayPage = {
  path: '/pay/x',
  address: '/pay/x',
  version: 1,
  locale: 'en-GB',
  state: 'active',
  merchant,
  payment,
  form: sandboxForm,
  confirmation: null,
  notice: null,
  returnUrl: 'https://berlin-coffee.example/thanks',
}

const confirmingPage: PayPage = {
  ...activePage,
  state: 'confirming',
  form: null,
  confirmation: {
    url: 'https://bank.example/confirm?id=1&lang=de',
    expiresAt: new Date('2026-11-21T10:30:00Z'),
    timeZone: 'Europe/Berlin',
    redirects: false,
    cancelAction: '/pay/x/cancel',
    nonce: 'the-nonce',
  },
}

const closed = { ...activePage, payment: null, form: null }

/** Each state, and each kind of content that changes the layout. */
export const pages: Readonly<Record<string, PayPage>> = {
  active: activePage,
  declined: { ...activePage, notice: { kind: 'declined', declineCode: 'insufficient_funds' } },
  plain: {
    ...activePage,
    merchant: { name: 'Studio Nord', logoUrl: null, primaryColor: null, supportEmail: null },
    payment: { ...payment, items: [], description: null, payerName: null },
  },
  long: {
    ...activePage,
    merchant: {
      ...merchant,
      name: 'Rindfleischetikettierungsüberwachungs-Genossenschaft Süd',
      primaryColor: '#ffe066',
    },
    payment: {
      ...payment,
      amount: 999_999_999_999,
      currency: 'IDR',
      items: Array.from({ length: 12 }, (_, index) => ({
        name: `Item ${index} ${'x'.repeat(60)}`,
        unit_amount: 83_333_333_333,
        quantity: 1000,
      })),
      reference: '0191e4a2-0000-7d11-8c55-91b6e0a7c041',
    },
  },
  frame: {
    ...activePage,
    form: {
      ...sandboxForm,
      entry: { kind: 'frame', url: 'https://cards.example/form', isTrusted: true, isOurs: false },
    },
  },
  'foreign frame': {
    ...activePage,
    form: {
      ...sandboxForm,
      entry: { kind: 'frame', url: 'https://cards.example/form', isTrusted: false, isOurs: false },
    },
  },
  busy: { ...activePage, notice: { kind: 'busy' } },
  confirming: confirmingPage,
  'not canceled': { ...confirmingPage, notice: { kind: 'not_canceled' } },
  processing: { ...activePage, state: 'processing', form: null },
  completed: { ...activePage, state: 'completed', form: null },
  expired: { ...closed, state: 'expired' },
  canceled: { ...closed, state: 'canceled' },
  test: { ...closed, state: 'test' },
  unknown: { ...closed, path: '', address: '', version: null, state: 'unknown', merchant: null, returnUrl: null },
  unavailable: { ...closed, state: 'unavailable' },
  'too many': { ...closed, state: 'unavailable', notice: { kind: 'too_many' } },
}

interface PageServer extends Receiver {
  show(page: PayPage, texts?: Texts): string
  /** Replies to the next forms with the page, until `show` sets another one. */
  rejectForms(page: PayPage): void
}

/** Shows the page that `show` set last. Replies to a POST with a redirect, or the page of a rejection. */
export async function pageServer(): Promise<PageServer> {
  const server = await receiver()
  let current = renderPayPage(activePage)
  let rejection: typeof current | null = null
  server.respondWith(({ method, path }) => {
    const isForm = method === 'POST'
    if (isForm && rejection === null) return { status: 303, headers: { location: '/pay/x' } }
    if (!isForm && !/^\/pay\/x(\/bank)?(\?|$)/.test(path)) return { status: 404 }
    const { html, policy } = (isForm && rejection) || current
    return {
      status: isForm ? 503 : 200,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      },
      body: html,
    }
  })
  return {
    ...server,
    rejectForms(page) {
      rejection = renderPayPage(page)
    },
    show(page, texts) {
      rejection = null
      current = renderPayPage(page, texts)
      return new URL('/pay/x', server.url).href
    },
  }
}

import type { Shop } from './shop.ts'

const timeoutMs = 10_000

interface Bill {
  readonly payer: string
  readonly recipient: string
  readonly article: string
  readonly price: number
  readonly then: 'paid' | 'canceled' | 'open'
}

const bills: readonly Bill[] = [
  { payer: 'Mara Lindqvist', recipient: 'mara@example.com', article: 'Tasting for six', price: 16_800, then: 'paid' },
  { payer: 'Ben Okafor', recipient: 'ben@example.com', article: 'Grinder repair', price: 4_250, then: 'paid' },
  { payer: 'Chloé Martin', recipient: 'chloe@example.com', article: 'Wedding bar', price: 89_000, then: 'open' },
  { payer: 'Jonas Weber', recipient: 'jonas@example.com', article: 'Office beans, May', price: 31_200, then: 'open' },
  { payer: 'Aiko Tanaka', recipient: 'aiko@example.com', article: 'Latte art course', price: 9_500, then: 'canceled' },
]

/** Invitations to pay: two are paid on their pages, one is canceled, and the others are open. */
export async function writeInvitations(shop: Shop): Promise<void> {
  for (const bill of bills) await invite(shop, bill)
}

async function invite({ client, unitId, once }: Shop, { payer, recipient, article, price, then }: Bill): Promise<void> {
  const transaction = {
    business_unit_id: unitId,
    currency: 'EUR',
    transaction: { transaction_items: [{ name: article, unit_amount: price, quantity: 1 }] },
    customer_details: { name: payer, email: recipient },
  }
  const communication_details = { payer_name: payer, description: article }
  const body = { transaction, recipient, communication_details, capture: true }
  const code = await client.createCode(
    { body: { ...body, communication_type: 'EMAIL' } },
    once(`invitation ${article}`),
  )
  if (then === 'canceled') await client.cancelCode({ code_id: code.id }, once(`cancel ${article}`))
  if (then === 'paid') await payAt((await client.revealCode({ code_id: code.id })).url)
}

/** Sends the form of the pay page, as the browser of the payer does. */
async function payAt(link: string): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs)
  const html = await (await fetch(link, { signal })).text()
  const [, action = ''] = /<form method="post" action="([^"]+)"/.exec(html) ?? []
  const [, nonce = ''] = /name="nonce" value="([^"]+)"/.exec(html) ?? []
  // A page without a form: the invitation is paid.
  if (nonce === '') return
  const body = new URLSearchParams({ nonce, payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' })
  const headers = { Origin: new URL(link).origin }
  const { status } = await fetch(new URL(action, link), { method: 'POST', body, headers, signal, redirect: 'manual' })
  if (status !== 303) throw new Error(`the pay page responded ${status}`)
}

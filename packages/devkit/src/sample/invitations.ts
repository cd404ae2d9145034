import type { Shop } from './shop.ts'

const timeoutMs = 10_000

interface Invitation {
  readonly payer: string
  readonly recipient: string
  readonly item: string
  /** In minor units. */
  readonly amount: number
  readonly outcome: 'paid' | 'canceled' | 'open'
}

const invitations: readonly Invitation[] = [
  { payer: 'Mara Lindqvist', recipient: 'mara@example.com', item: 'Tasting for six', amount: 16_800, outcome: 'paid' },
  { payer: 'Ben Okafor', recipient: 'ben@example.com', item: 'Grinder repair', amount: 4_250, outcome: 'paid' },
  { payer: 'Chloé Martin', recipient: 'chloe@example.com', item: 'Wedding bar', amount: 89_000, outcome: 'open' },
  { payer: 'Jonas Weber', recipient: 'jonas@example.com', item: 'Office beans, May', amount: 31_200, outcome: 'open' },
  { payer: 'Aiko Tanaka', recipient: 'aiko@example.com', item: 'Latte art course', amount: 9_500, outcome: 'canceled' },
]

/** Invitations to pay: two are paid on their pages, one is canceled, and the others are open. */
export async function writeInvitations(shop: Shop): Promise<void> {
  for (const invitation of invitations) await invite(shop, invitation)
}

async function invite({ client, unitId, once }: Shop, invitation: Invitation): Promise<void> {
  const { payer, recipient, item, amount, outcome } = invitation
  const transaction = {
    business_unit_id: unitId,
    currency: 'EUR',
    transaction: { transaction_items: [{ name: item, unit_amount: amount, quantity: 1 }] },
    customer_details: { name: payer, email: recipient },
  }
  const communication_details = { payer_name: payer, description: item }
  const body = { transaction, recipient, communication_details, capture: true }
  const code = await client.createCode({ body: { ...body, communication_type: 'EMAIL' } }, once(`invitation ${item}`))
  if (outcome === 'canceled') await client.cancelCode({ code_id: code.id }, once(`cancel ${item}`))
  if (outcome === 'paid') await payAt((await client.revealCode({ code_id: code.id })).url)
}

/** Sends the form of the pay page, as the browser of the payer does. */
async function payAt(link: string): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs)
  const page = await fetch(link, { signal })
  if (!page.ok) throw new Error(`the pay page responded ${page.status}`)
  const html = await page.text()
  const [, action = ''] = /<form method="post" action="([^"]+)"/.exec(html) ?? []
  const [, nonce = ''] = /name="nonce" value="([^"]+)"/.exec(html) ?? []
  // A page without a form: the invitation is paid.
  if (nonce === '') return
  const body = new URLSearchParams({ nonce, payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' })
  const headers = { Origin: new URL(link).origin }
  const { status } = await fetch(new URL(action, link), { method: 'POST', body, headers, signal, redirect: 'manual' })
  if (status !== 303) throw new Error(`the form of the pay page responded ${status}`)
}

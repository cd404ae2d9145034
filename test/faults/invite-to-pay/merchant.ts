import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { withClient } from '@payments/devkit/servers/databases'
import { until } from '../../until.ts'
import { mayRepeat, persist } from '../runner/persist.ts'
import { openPage, type PageState, pay } from './payer.ts'
import type { World } from './world.ts'

/** An invitation, as the merchant and its payers know it. */
export interface Invited {
  readonly codeId: string
  readonly transactionId: string
  readonly link: string
  /** Whether the merchant authorized the transaction by itself, beside the payers. */
  readonly isCompletedByMerchant: boolean
  /** Whether the platform confirmed a cancellation, a payment on the page, a resend. */
  readonly confirmed: { canceled: boolean; paid: boolean; resent: boolean }
}

interface Opened extends Pick<Invited, 'codeId' | 'transactionId' | 'link'> {
  readonly cards: readonly string[]
}

// The lengths of these lists have no common divisor, so that every pair occurs.
const cards = [
  ['visa'],
  ['declined', 'visa'],
  ['timeout_applied'],
  ['slow_300'],
  ['challenge', 'visa'],
  ['timeout_not_applied', 'visa'],
  ['visa'],
  ['unreachable', 'visa'],
  ['pending'],
  ['challenge', 'challenge', 'visa'],
  ['insufficient_funds', 'declined', 'visa'],
] as const
const stories = ['pay', 'cancel', 'pay', 'expire', 'complete', 'resend', 'pay', 'void'] as const
const ways = ['inline', 'i2p', 'transaction', 'inline', 'i2p'] as const
const channels = ['EMAIL', 'SMS', 'EMAIL', 'SMS', 'EMAIL', 'SMS', 'SMS'] as const

const at = <T>(list: readonly T[], number: number): T => list[number % list.length] as T

/** Invites a payer; two payers open the link at once, while the merchant does what the story says. */
export async function invite(world: World, number: number): Promise<Invited> {
  const story = at(stories, number)
  const { codeId, transactionId, recipient, url } = await createCode(world, number)
  const link = number % 2 === 0 || url === null ? await linkFrom(world, recipient, url) : url
  // A payer who leaves the bank would let the merchant wait for the end of the payment.
  const usable = at(cards, number).filter((card) => story !== 'complete' || card !== 'challenge')
  const opened = { codeId, transactionId, link, cards: usable }
  const confirmed = { canceled: false, paid: false, resent: false }
  const seen = await play(world, story, opened, confirmed)
  confirmed.paid = seen.includes('completed')
  return { codeId, transactionId, link, isCompletedByMerchant: story === 'complete', confirmed }
}

type Seen = (PageState | undefined)[]

async function play(
  world: World,
  story: (typeof stories)[number],
  code: Opened,
  confirmed: Invited['confirmed'],
): Promise<Seen> {
  const { call } = world
  const transaction = `/v1/payment-proxy/transactions/${code.transactionId}`
  const payers = () => Promise.all([pay(code.link, code.cards), pay(code.link, code.cards)])
  const beside = async (act: () => Promise<unknown>) => {
    const [seen] = await Promise.all([payers(), delay(Math.random() * 400).then(act)])
    return seen
  }
  switch (story) {
    case 'pay':
      return payers()
    case 'cancel':
      return beside(async () => {
        const { status } = await persist(call, `/v1/invite-to-pay/codes/${code.codeId}/cancel`)
        confirmed.canceled = status === 200
      })
    case 'void':
      return beside(() => persist(call, `${transaction}/void`))
    case 'complete': {
      const payment_details = { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' }
      return beside(() => persist(call, `${transaction}/complete`, { payment_details }))
    }
    case 'expire':
      await change(world, code, `expires_at = clock_timestamp() + interval '300 milliseconds'`)
      return beside(() => Promise.all([payers(), delay(250).then(payers)]))
    case 'resend':
      return resend(world, code, confirmed, payers)
  }
}

/** Sends an expired invitation again. A payer may have been faster than its end. */
async function resend(world: World, code: Opened, confirmed: Invited['confirmed'], payers: () => Promise<Seen>) {
  await change(world, code, `expires_at = clock_timestamp(), invited_at = invited_at - interval '61 seconds'`)
  await until('end of the code', async () => (await openPage(code.link))?.state !== 'active', 90_000)
  const { status, body } = await persist(world.call, `/v1/payment-proxy/i2p/transactions/${code.transactionId}/resend`)
  if (status !== 202) throw new Error(`a resend: ${status} ${JSON.stringify(body)}`)
  confirmed.resent = true
  return payers()
}

/** Moves the times of an active code, in place of waiting for them. */
async function change({ databaseUrl }: World, { codeId }: Opened, columns: string): Promise<void> {
  const sql = `UPDATE codes SET ${columns} WHERE id = $1`
  await until(
    'database of the codes',
    () =>
      withClient(databaseUrl('invite-to-pay'), (admin) => admin.query(sql, [codeId])).then(
        () => true,
        () => false,
      ),
    60_000,
  )
}

async function createCode({ call, unit }: World, number: number) {
  const channel = at(channels, number)
  const recipient = channel === 'EMAIL' ? `payer-${randomUUID()}@example.com` : smsNumber()
  const invitation = { communication_type: channel, recipient }
  const transaction = {
    business_unit_id: unit,
    currency: 'EUR',
    external_reference: `order-${number}-${randomUUID()}`,
    transaction: { transaction_items: [{ name: 'Coffee beans, 1 kg', unit_amount: 1999, quantity: 2 }] },
  }
  const capture = number % 3 === 0
  const created = async (path: string, body: object) => {
    const response = await persist(call, path, body)
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${JSON.stringify(response.body)}`)
    return response.body
  }
  const codes = '/v1/invite-to-pay/codes'
  const transactions = '/v1/payment-proxy/transactions'
  const way = at(ways, number)
  if (way === 'i2p') {
    const { id } = await created(transactions, { ...transaction, capture, i2p: true, invitation })
    return { ...(await findCode(call, id)), recipient }
  }
  const of =
    way === 'inline' ? { transaction } : { transaction_id: (await created(transactions, transaction)).id as string }
  const { id, transaction_id, url } = await created(codes, { ...of, ...invitation, capture })
  return { codeId: id as string, transactionId: transaction_id as string, url: url as string, recipient }
}

/**
 * The code that invite-to-pay creates once it hears of the transaction. Its link is in the message only: reveals are
 * limited.
 */
async function findCode(call: World['call'], transactionId: string) {
  let found: { id: string } | undefined
  const look = async () => {
    const path = `/v1/invite-to-pay/codes?transaction_id=${transactionId}`
    const response = await call('GET', path).catch(() => undefined)
    if (response === undefined || mayRepeat(response)) return false
    found = response.body.data[0]
    return found !== undefined
  }
  await until(`code of the transaction ${transactionId}`, look, 120_000)
  return { codeId: found?.id ?? '', transactionId, url: null }
}

let phones = 0

/** A number of its own per invitation: messages are searched by it. */
function smsNumber(): string {
  phones += 1
  return `+4915${String(phones).padStart(8, '0')}`
}

/** How long a payer waits for a message whose link the merchant has too, or has not. */
const messageTimeoutMs = { known: 5_000, unknown: 120_000 }

/** The link in the message, or of the merchant when the message is late. Throws when the message has another link. */
async function linkFrom({ call, provider }: World, recipient: string, url: string | null): Promise<string> {
  const timeoutMs = url === null ? messageTimeoutMs.unknown : messageTimeoutMs.known
  const readText = async (): Promise<string | undefined> => {
    if (recipient.startsWith('+')) return provider.accepted().find((one) => one.recipient === recipient)?.text
    const path = `/v1/communication/outbox?recipient=${encodeURIComponent(recipient)}`
    return (await call('GET', path).catch(() => undefined))?.body.data?.[0]?.text
  }
  for (const deadlineAt = performance.now() + timeoutMs; performance.now() < deadlineAt; await delay(200)) {
    const text = await readText()
    if (text === undefined) continue
    const [link] = /http:\S+\/pay\/[\w-]+/.exec(text) ?? []
    if (link === undefined || link !== (url ?? link)) {
      throw new Error(`the message has the link ${link}, the code ${url}`)
    }
    return link
  }
  if (url === null) throw new Error(`no message for ${recipient} within ${timeoutMs} ms`)
  return url
}

import { randomUUID } from 'node:crypto'
import { type HttpCall, type HttpReply, httpServer } from '../http-server.ts'
import { StripeAccount, StripeError } from './payment-intents.ts'

/** The version of Stripe's API whose objects the stand-in has. */
const version = '2026-06-24.dahlia'

/**
 * The parts of Stripe's API that the connector uses, with idempotency keys and lists, and objects in memory per secret
 * key. The payment method selects a fault: `pm_card_{fault}` for the authorization, `pm_card_capture_{fault}` and
 * `pm_card_refund_{fault}` for what follows it.
 *
 * - `declined_{decline code of Stripe}`
 * - `lost_applied`, `lost_not_applied`: the connection closes instead of a response
 * - `slow`: no response · `error`: 500 · `busy`: 429 · `forbidden`: 403
 *
 * `pm_card_authenticationRequired` waits for the payer, who decides at `/3ds/{id of the PaymentIntent}`, the page that
 * Stripe hosts. `…ChargeDeclinedInsufficientFunds`: the card is declined after that · `…_lost`: as `lost_applied` ·
 * `…_sdk`: the action has no page · `…_cancel_{fault}`: a fault of the cancellation.
 */
export async function startStripe() {
  const accounts = new Map<string, StripeAccount & { responses: Map<string, Stored> }>()
  const calls: HttpCall[] = []
  const server = await httpServer((call) => {
    if (call.path.startsWith('/3ds/')) return page3ds([...accounts.values()], call)
    calls.push(call)
    const account = accounts.get(String(call.headers.authorization).replace('Bearer ', ''))
    if (account === undefined) return failed(401, { type: 'invalid_request_error', code: 'api_key_invalid' })
    if (call.headers['stripe-version'] !== version) return failed(400, { type: 'invalid_request_error' })
    return call.method === 'GET' ? read(account, call) : idempotent(account, account.responses, call)
  })
  return {
    ...server,
    calls,
    account: () => {
      const key = `sk_test_${randomUUID().replaceAll('-', '')}`
      const account = Object.assign(new StripeAccount(server.url), { responses: new Map<string, Stored>() })
      accounts.set(key, account)
      return { key, account }
    },
  }
}

/** The page of 3-D Secure: a form with two buttons, whose decision leads back. */
function page3ds(accounts: readonly StripeAccount[], { method, path, body }: HttpCall): HttpReply {
  const id = path.split('/').at(-1) ?? ''
  const account = accounts.find(({ intents }) => intents.some((one) => one.id === id))
  if (account?.returnUrls.has(id) !== true) return failed(404, { type: 'invalid_request_error' })
  const button = (decision: string) => `<button name="decision" value="${decision}">${decision}</button>`
  if (method === 'GET') {
    const form = `<form method="post">${button('confirm')}${button('fail')}</form>`
    return (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end(form)
  }
  const decision = new URLSearchParams(body).get('decision') === 'confirm' ? 'confirm' : 'fail'
  const location = account.decide(id, decision)
  return (response) => response.writeHead(303, { Location: location }).end()
}

interface Stored {
  readonly request: string
  reply: HttpReply | undefined
}

/** Stripe rejects a key in use with 409, and a key with other parameters with 400. */
async function idempotent(account: StripeAccount, responses: Map<string, Stored>, call: HttpCall): Promise<HttpReply> {
  const key = String(call.headers['idempotency-key'])
  const request = `${call.path} ${call.body}`
  const fault = findFault(account, call)
  if (fault === 'lost_not_applied') return 'lost'
  if (fault === 'busy') return failed(429, { type: 'invalid_request_error', code: 'rate_limit' })
  if (fault === 'forbidden') return failed(403, { type: 'invalid_request_error' })
  if (fault === 'error') return failed(500, { type: 'api_error' })
  if (fault === 'slow') return () => {}
  const known = responses.get(key)
  if (known !== undefined) {
    if (known.request !== request) return failed(400, { type: 'idempotency_error' })
    if (fault === 'lost_applied') return 'lost'
    return known.reply ?? failed(409, { type: 'invalid_request_error', code: 'idempotency_key_in_use' })
  }
  const stored: Stored = { request, reply: undefined }
  responses.set(key, stored)
  await new Promise((resolve) => setImmediate(resolve))
  stored.reply = attempt(() => write(account, call))
  return fault === 'lost_applied' ? 'lost' : stored.reply
}

function findFault(account: StripeAccount, { path, body }: HttpCall): string {
  const fields = new URLSearchParams(body)
  const [, , resource, id = '', action] = path.split('/')
  const isRefund = resource === 'refunds'
  const token = fields.get('payment_method') ?? account.tokens.get(isRefund ? (fields.get('payment_intent') ?? '') : id)
  const canceling = /_cancel_(\w+)$/.exec(token ?? '')?.[1]
  if (canceling !== undefined) return action === 'cancel' ? canceling : ''
  if (token === 'pm_card_authenticationRequired_lost' && id === '') return 'lost_applied'
  const prefix = `pm_card_${isRefund ? 'refund_' : action === undefined ? '' : `${action}_`}`
  return token?.startsWith(prefix) === true ? token.slice(prefix.length) : ''
}

function write(account: StripeAccount, { path, body }: HttpCall): object {
  const fields = new URLSearchParams(body)
  const [, , resource, id = '', action] = path.split('/')
  if (resource === 'refunds') return account.refund(fields)
  if (action === 'capture') return account.capture(id, fields)
  return action === 'cancel' ? account.cancel(id, fields) : account.create(fields)
}

function read(account: StripeAccount, { path, query }: HttpCall): HttpReply {
  const [, , resource, id] = path.split('/')
  return attempt(() => {
    if (resource === 'payment_intents') {
      if (id === undefined) return page(account.intents, query)
      const intent = account.intent(id)
      const charge = intent.latest_charge
      const isExpanded = query.get('expand[0]') === 'latest_charge'
      return { ...intent, latest_charge: isExpanded || typeof charge !== 'object' ? charge : 'ch_1' }
    }
    if (resource === 'events') {
      const types = [query.get('types[0]'), query.get('types[1]')]
      return page(
        account.events.filter(({ type }) => types.includes(type)),
        query,
      )
    }
    if (id !== undefined) return account.refunds.find((one) => one.id === id) ?? {}
    const intentId = query.get('payment_intent')
    return page(
      account.refunds.filter((one) => intentId === null || one.payment_intent === intentId),
      query,
    )
  })
}

const pageMax = 2

function page(objects: readonly { id: string; created: number }[], query: URLSearchParams): object {
  const [from, to] = [
    Number(query.get('created[gte]') ?? 0),
    Number(query.get('created[lt]') ?? query.get('created[lte]') ?? 1e12),
  ]
  const found = objects.filter(
    ({ created }) => created >= from && (query.has('created[lt]') ? created < to : created <= to),
  )
  const start = found.findIndex(({ id }) => id === query.get('starting_after')) + 1
  return { object: 'list', data: found.slice(start, start + pageMax), has_more: start + pageMax < found.length }
}

function attempt(work: () => object): HttpReply {
  try {
    return { status: 200, body: structuredClone(work()) }
  } catch (error) {
    if (error instanceof StripeError) return failed(error.status, error.error)
    throw error
  }
}

function failed(status: number, error: object): HttpReply {
  return { status, body: { error: { message: 'A text', ...error } } }
}

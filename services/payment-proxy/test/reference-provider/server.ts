import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { type HttpCall, type HttpReply, httpServer } from '../http-server.ts'
import { type Entry, Ledger, type Posted } from './ledger.ts'

/**
 * A payment provider that speaks the protocol of docs/connectors.md, with a ledger in memory per key id. The token of
 * an authorization selects a fault: `{fault}` for the authorization, `capture_{fault}` and so on for what follows it.
 *
 * - `declined_{decline code}`, `pending`
 * - `lost_applied`, `lost_not_applied`: the connection closes instead of a response; `lost_then_busy`: then 429
 * - `slow`, `slow_not_applied`: no response · `error`: 500 · `garbage`: no JSON · `extra`: an undeclared member
 * - `other_operation` · `other_amount` · `redirect` · `long`: more than 64 KiB · `unauthorized` · `busy`: 429
 * - `unauthorized_page`, `busy_page`: the same from a proxy, without JSON, one of them more than 64 KiB
 * - `invalid`: 422
 * - `challenge` and others of `actions`: the payer must confirm · `{lost, unauthorized, busy}_cancel`: as `challenge`,
 *   with a fault of the cancellation
 */
export async function startReferenceProvider(received: Observer = async () => {}) {
  const accounts = new Map<string, { secret: string; ledger: Ledger }>()
  const calls: HttpCall[] = []
  const server = await httpServer(async (call) => {
    calls.push(call)
    const account = accounts.get(String(call.headers['connector-key-id']))
    if (account === undefined || !isSigned(call, account.secret)) return problem(401, 'signature_invalid')
    const reply = respond(account.ledger, call)
    const entry = call.method === 'POST' ? account.ledger.entries.get(JSON.parse(call.body).operation_id) : undefined
    if (entry !== undefined) await received(entry)
    return reply
  })
  return {
    ...server,
    calls,
    account: () => {
      const account = { keyId: randomUUID(), secret: `secret-${randomUUID()}`, ledger: new Ledger() }
      accounts.set(account.keyId, account)
      return account
    },
  }
}

/** Called when an operation has taken effect. The provider responds afterwards. */
type Observer = (entry: Entry) => Promise<void>

const toleranceSeconds = 300

function isSigned({ method, target, headers, body }: HttpCall, secret: string): boolean {
  const [id, timestamp] = [headers['connector-request-id'], headers['connector-timestamp']]
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds) return false
  const content = `${String(id)}.${String(timestamp)}.${method}.${target}.${body}`
  const expected = Buffer.from(`v1,${createHmac('sha256', secret).update(content).digest('base64')}`)
  const signature = Buffer.from(String(headers['connector-signature']))
  return signature.length === expected.length && timingSafeEqual(signature, expected)
}

function respond(ledger: Ledger, { method, path, query, headers, body }: HttpCall): HttpReply {
  const isVersion2 = headers['connector-protocol-version'] === '2'
  if (method === 'POST' && path.endsWith('/operations')) return receive(ledger, JSON.parse(body) as Posted, isVersion2)
  if (method === 'POST') return cancel(ledger, path, JSON.parse(body) as { reason: string })
  if (path.endsWith('/operations')) return list(ledger, query)
  const id = path.split('/').at(-1) ?? ''
  const entry = ledger.entries.get(id)
  if (entry !== undefined) {
    if (entry.state === 'pending') entry.state = 'succeeded'
    return { status: 200, body: presentOperation(entry) }
  }
  ledger.rejectedIds.add(id)
  return problem(404, 'operation_not_found')
}

function cancel(ledger: Ledger, path: string, { reason }: { reason: string }): HttpReply {
  const [id = '', action] = path.split('/').slice(-2)
  if (action !== 'cancel' || !['expired', 'requested', 'unusable'].includes(reason)) return problem(400, 'invalid')
  const fault = /^(\w+)_cancel$/.exec(ledger.entries.get(id)?.token ?? '')?.[1]
  if (fault === 'lost') return 'lost'
  if (fault === 'unauthorized') return problem(403, 'forbidden')
  if (fault === 'busy') return problem(429, 'rate_limited')
  const entry = ledger.cancel(id, reason)
  if (entry !== undefined) return { status: 200, body: presentOperation(entry) }
  ledger.rejectedIds.add(id)
  return problem(404, 'operation_not_found')
}

const bank = 'https://bank.example.com/3ds'
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
const minuteMs = 60_000

const ofAnotherForm = (action: object) => action as { url: string; expires_at: string }

/**
 * Actions of a provider in version 2, by the token. Most are of no use for the payer. Without a `return_url`, the
 * payment is declined. `challenge_lost`: the connection closes instead of a response.
 */
const actions: Readonly<Record<string, () => { url: string; expires_at: string }>> = {
  challenge: () => ({ url: `${bank}?c=${randomUUID()}`, expires_at: inMs(10 * minuteMs) }),
  challenge_lost: () => ({ url: bank, expires_at: inMs(10 * minuteMs) }),
  challenge_past: () => ({ url: bank, expires_at: inMs(-minuteMs) }),
  challenge_year: () => ({ url: bank, expires_at: inMs(365 * 24 * 60 * minuteMs) }),
  challenge_no_end: () => ({ url: bank, expires_at: 'tomorrow' }),
  challenge_http: () => ({ url: 'http://bank.example.com/3ds', expires_at: inMs(minuteMs) }),
  challenge_script: () => ({ url: 'javascript:alert(1)', expires_at: inMs(minuteMs) }),
  challenge_private: () => ({ url: 'https://10.0.0.1/3ds', expires_at: inMs(minuteMs) }),
  challenge_local: () => ({ url: 'https://bank.internal/3ds', expires_at: inMs(minuteMs) }),
  challenge_credentials: () => ({ url: 'https://a:b@bank.example.com/3ds', expires_at: inMs(minuteMs) }),
  challenge_long: () => ({ url: `${bank}?${'x'.repeat(2_048)}`, expires_at: inMs(minuteMs) }),
  challenge_long_fragment: () => ({ url: `${bank}#${'x'.repeat(2_048)}`, expires_at: inMs(minuteMs) }),
  challenge_control_in_fragment: () => ({ url: `${bank}#\u0000`, expires_at: inMs(minuteMs) }),
  challenge_control: () => ({ url: `${bank}?a\u0000b`, expires_at: inMs(minuteMs) }),
  challenge_card: () => ({ url: `${bank}?n=4111111111111111`, expires_at: inMs(minuteMs) }),
  challenge_encoded_card: () => ({ url: `${bank}?n=%34111111111111111`, expires_at: inMs(minuteMs) }),
  challenge_empty: () => ({ url: '', expires_at: inMs(minuteMs) }),
  challenge_without_end: () => ofAnotherForm({ url: bank }),
  challenge_null_end: () => ofAnotherForm({ url: bank, expires_at: null }),
  challenge_number_as_end: () => ofAnotherForm({ url: bank, expires_at: 1_900_000_000 }),
  challenge_without_url: () => ofAnotherForm({ expires_at: inMs(minuteMs) }),
  challenge_other_type: () => ofAnotherForm({ type: 'app', url: bank, expires_at: inMs(minuteMs) }),
  challenge_no_action: () => ofAnotherForm({ type: undefined }),
}

/** Tokens of actions that no payer should follow. */
export const unusableActions = Object.keys(actions).filter(
  (token) => !['challenge', 'challenge_lost', 'challenge_past', 'challenge_year'].includes(token),
)

function receive(ledger: Ledger, posted: Posted, isVersion2: boolean): HttpReply {
  if (ledger.rejectedIds.has(posted.operation_id)) return problem(409, 'operation_rejected')
  const token = ledger.findToken(posted)
  const prefix = posted.type === 'authorize' ? '' : `${posted.type}_`
  const fault = token.startsWith(prefix) ? token.slice(prefix.length) : ''
  if (fault === 'lost_not_applied') return 'lost'
  if (fault === 'slow_not_applied') return () => {}
  if (fault === 'unauthorized') return problem(403, 'forbidden')
  if (fault === 'busy') return problem(429, 'rate_limited')
  if (fault === 'unauthorized_page') return (response) => response.writeHead(403).end(`<html>${'x'.repeat(70_000)}`)
  if (fault === 'busy_page') return (response) => response.writeHead(429).end('<html>')
  if (fault === 'invalid') return problem(422, 'invalid_request')
  if (fault === 'lost_then_busy' && ledger.entries.has(posted.operation_id)) return problem(429, 'rate_limited')
  const action = actions[fault.endsWith('_cancel') ? 'challenge' : fault]
  const mayReturn = isVersion2 && posted.return_url != null
  const declineCode =
    action !== undefined && !mayReturn ? 'authentication_required' : /^declined_(\w+)$/.exec(fault)?.[1]
  const entry = ledger.receive(posted, {
    ...(declineCode === undefined ? {} : { declineCode }),
    pending: fault === 'pending',
    ...(action === undefined ? {} : { action: action() }),
  })
  return faulty(fault, entry) ?? { status: entry.state === 'declined' ? 402 : 200, body: presentOperation(entry) }
}

function faulty(fault: string, entry: Entry): HttpReply | undefined {
  const operation = presentOperation(entry)
  switch (fault) {
    case 'challenge_lost':
    case 'lost_applied':
    case 'lost_then_busy':
      return 'lost'
    case 'slow':
      return () => {}
    case 'error':
      return { status: 500, body: operation }
    case 'garbage':
      return (response) => response.writeHead(200).end('<html>')
    case 'long':
      return { status: 200, body: { ...operation, padding: 'x'.repeat(70_000) } }
    case 'extra':
      return { status: 200, body: { ...operation, fee: 30 } }
    case 'other_operation':
      return { status: 200, body: { ...operation, operation_id: randomUUID() } }
    case 'other_amount':
      return { status: 200, body: { ...operation, amount: entry.amount + 1 } }
    case 'redirect':
      return (response) => response.writeHead(307, { Location: '/elsewhere' }).end('{}')
    default:
      return undefined
  }
}

export function presentOperation({ operation_id, state, reference, declineCode, authentication, ...entry }: Entry) {
  if (state === 'pending') return { operation_id, state, reference }
  if (state === 'action_required') {
    return { operation_id, state, reference, action: { type: 'redirect', ...entry.action } }
  }
  const authenticated = authentication === null ? {} : { authentication }
  if (state === 'declined') {
    const decline = { code: declineCode, retryable: declineCode === 'insufficient_funds', provider_code: '05' }
    return { operation_id, state, reference, decline, ...authenticated }
  }
  const { type, payment_method, amount, currency } = entry
  const card = type === 'authorize' ? { payment_method: { type: payment_method, brand: 'visa', last4: '4242' } } : {}
  return { operation_id, state, reference, amount, currency, ...card, ...authenticated }
}

const pageMax = 2

function list(ledger: Ledger, query: URLSearchParams): HttpReply {
  const [from, to] = [new Date(query.get('received_from') ?? ''), new Date(query.get('received_to') ?? '')]
  const start = Number(query.get('cursor') ?? 0)
  const found = [...ledger.entries.values()].filter(({ receivedAt }) => receivedAt >= from && receivedAt < to)
  const operations = found.slice(start, start + pageMax).map((entry) => ({
    operation_id: entry.operation_id,
    type: entry.type,
    state: entry.state === 'action_required' ? 'pending' : entry.state,
    reference: entry.reference,
    amount: entry.amount,
    currency: entry.currency,
    received_at: entry.receivedAt.toISOString(),
  }))
  const next = start + pageMax < found.length ? String(start + pageMax) : null
  return { status: 200, body: { operations, next } }
}

function problem(status: number, code: string): HttpReply {
  return { status, body: { type: 'about:blank', status, code, title: code } }
}

import { randomUUID } from 'node:crypto'
import { expect } from '@jest/globals'
import type { App } from '@payments/chassis/request/app'
import { createApp } from '../../src/app.ts'
import type { ProviderCalls } from '../../src/connectors/provider-calls.ts'
import { openBank } from '../bank.ts'
import { buildEvent, type ReportingWorld } from '../reporting.ts'
import { applyAll, resumeAll } from '../resume-all.ts'
import type { TestTenant } from '../world.ts'
import { type Command, cups, type Move, pot, total } from './commands.ts'
import { crashing, requireCrash, untilNone } from './crash.ts'
import {
  formatReference,
  outcomeInLedger,
  type Pair,
  readChallenges,
  readPairs,
  resolvedInLedger,
  reversedInLedger,
} from './ledger.ts'

type Reply = Awaited<ReturnType<TestTenant['read']>>
/** A request that can be sent again: its transaction is chosen. */
type Request = (caller: Caller, key?: string) => Promise<Reply>
type Caller = ReturnType<TestTenant['through']>

interface Keyed {
  readonly key: string
  readonly request: Request
  /** The first final response. */
  final: { status: number; body: object } | undefined
}

const return_url = 'https://shop.example.com/orders'
const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** One tenant, on which the commands of a history run one after the other. */
export class History {
  readonly tenant: TestTenant
  readonly #world: ReportingWorld
  readonly #keyed: Keyed[] = []
  #aheadMs = 0

  constructor(world: ReportingWorld) {
    this.#world = world
    this.tenant = world.tenant()
  }

  async run(command: Command): Promise<void> {
    switch (command.how) {
      case 'send':
        return this.#send(await this.#buildRequest(command.move), command.hasKey ? 1 : 0)
      case 'send twice':
        return this.#send(await this.#buildRequest(command.move), 2)
      case 'send again':
        return this.#sendAgain(command.earlier)
      case 'send at once': {
        const requests = await Promise.all(command.moves.map((move) => this.#buildRequest(move)))
        await Promise.all(requests.map((request) => this.#send(request, 1)))
        return
      }
      case 'send three at once with one key': {
        const keyed = this.#newKey(await this.#buildRequest(command.move))
        await Promise.all([1, 2, 3].map(() => this.#sendKeyed(keyed, this.tenant)))
        return
      }
      case 'send and crash': {
        const keyed = this.#newKey(await this.#buildRequest(command.move))
        return this.#sendKeyed(keyed, this.tenant.through(this.#world.crashing(command.moment)), 500)
      }
      case 'send, reported first': {
        const keyed = this.#newKey(await this.#buildRequest(command.move))
        return this.#sendKeyed(keyed, this.tenant.through(this.#reportingFirst(command.isById)))
      }
      case 'sync': {
        const reply = await this.tenant.sync(await this.#transaction(command.on))
        expect([200, 202]).toContain(reply.status)
        return
      }
      case 'decide at the bank':
        return this.#decide(command)
      case 'report':
        return this.#report(command)
      case 'sweep':
        return this.#sweep(command.afterMs)
      case 'sweep and crash': {
        this.#advance(60_000)
        const { deps } = this.#world
        const provider = crashing(deps.providerCalls, command.moment)
        await resumeAll({ ...deps, providerCalls: provider }).catch(requireCrash)
        return
      }
      case 'sweep three times at once': {
        this.#advance(60_000)
        await Promise.all([1, 2, 3].map(() => this.#world.resumeOpen()))
        return this.#applyEvents()
      }
      case 'expire':
        return this.#expire(command.afterMs)
      case 'resolve': {
        const open = (await readPairs(this.#world, this.tenant)).filter(isUnresolved)
        const pair = open[command.of % open.length]
        return pair === undefined ? undefined : this.#resolve(pair, command.outcome)
      }
    }
  }

  /** Ends every operation: by syncs, and where the provider does not report, by a person. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 4; turn += 1) await this.#sweep(hourMs + 1_000)
    for (let turn = 0; turn < 3; turn += 1) {
      const open = (await readPairs(this.#world, this.tenant)).filter(isUnresolved)
      for (const pair of open) await this.#resolve(pair, 0)
      await this.#sweep(hourMs + 1_000)
    }
  }

  /** Later histories do not find the expired authorizations and the unmatched events of this one. */
  async end(): Promise<void> {
    this.#world.advanceClock(-this.#aheadMs)
    await this.#world.rows(
      'UPDATE transactions SET authorization_expires_at = NULL WHERE tenant_id = $1::uuid',
      this.tenant.id,
    )
    await this.#world.rows('UPDATE provider_events SET due_at = NULL WHERE tenant_id = $1::uuid', this.tenant.id)
  }

  async #buildRequest(move: Move): Promise<Request> {
    if (move.do === 'create' || move.do === 'authorize') {
      const { reference, hasItems, capture } = move
      const body = {
        capture,
        ...(reference === undefined ? {} : { external_reference: reference }),
        ...(hasItems ? { transaction: { transaction_items: [cups, pot] } } : {}),
      }
      if (move.do === 'create') return (caller, key) => caller.create(body, key)
      return (caller, key) => caller.authorize(move.token, { ...body, return_url }, key)
    }
    const id = await this.#transaction(move.on)
    if (move.do === 'complete') {
      return (caller, key) => caller.complete(id, move.token, { capture: move.capture, return_url }, key)
    }
    return (caller, key) => caller[move.do](id, move.body, key)
  }

  async #transaction(on: number): Promise<string> {
    const rows = await this.#world.rows<{ id: string }>(
      'SELECT id::text FROM transactions WHERE tenant_id = $1::uuid ORDER BY id',
      this.tenant.id,
    )
    return rows[on % rows.length]?.id ?? randomUUID()
  }

  /** Without a key, or `times` times with a new one. */
  async #send(request: Request, times: number): Promise<void> {
    if (times === 0) return check(await request(this.tenant))
    const keyed = this.#newKey(request)
    for (let count = 0; count < times; count += 1) await this.#sendKeyed(keyed, this.tenant)
  }

  async #sendAgain(earlier: number): Promise<void> {
    const keyed = this.#keyed[earlier % this.#keyed.length]
    if (keyed !== undefined) await this.#sendKeyed(keyed, this.tenant)
  }

  #newKey(request: Request): Keyed {
    const keyed = { key: `key-${this.#keyed.length}`, request, final: undefined }
    this.#keyed.push(keyed)
    return keyed
  }

  /** Every final response to a key is equal, whatever happened to the transaction in between. */
  async #sendKeyed(keyed: Keyed, caller: Caller, alsoAllowed?: number): Promise<void> {
    const reply = await keyed.request(caller, keyed.key)
    check(reply, alsoAllowed)
    if (keyed.final !== undefined && reply.body.code === 'idempotency_key_in_use') return
    const { trace_id: _, ...body } = reply.body
    if (keyed.final !== undefined) expect({ status: reply.status, body }).toEqual(keyed.final)
    else if ([200, 201, 402].includes(reply.status)) keyed.final = { status: reply.status, body }
  }

  /** The webhook of the provider arrives, and is applied, before the response of the provider. */
  #reportingFirst(isById: boolean): App {
    const { providerCalls: provider } = this.#world.reportingDeps
    const send: ProviderCalls['send'] = async (request) => {
      const outcome = await provider.send(request)
      const pair = (await readPairs(this.#world, this.tenant)).find(({ id }) => id === request.operation.id)
      if (pair !== undefined) await this.#reportOutcome(pair, isById, 1)
      await this.#applyEvents()
      return outcome
    }
    return createApp({ ...this.#world.reportingDeps, providerCalls: { ...provider, send } })
  }

  async #report({ what, of, isById }: Extract<Command, { how: 'report' }>): Promise<void> {
    const pairs = await readPairs(this.#world, this.tenant)
    const pair = pairs[of % pairs.length]
    const isOpen = pair !== undefined && ['in_progress', 'action_required', 'pending', 'unknown'].includes(pair.state)
    if (what === 'unknown operation') await this.#post({ operationId: randomUUID(), outcome: succeeded(total) }, 1)
    else if (pair === undefined || pair.amount === 0) return
    else if (what === 'other amount')
      await this.#post({ ...named(pair, isById), outcome: succeeded(pair.amount + 1) }, 1)
    else if (what === 'action') await this.#reportAction(pair, isById)
    else if (what === 'opposite' && !isOpen) await this.#reportOpposite(pair, isById)
    else await this.#reportOutcome(pair, isById, what === 'outcome twice' ? 2 : 1)
    await Promise.all([this.#applyEvents(), this.#applyEvents()])
  }

  /** The outcome in the ledger. The provider decides a pending operation now. */
  async #reportOutcome(pair: Pair, isById: boolean, times: number): Promise<void> {
    const outcome = await outcomeInLedger(this.#world, pair)
    if (outcome !== null) await this.#post({ ...named(pair, isById), outcome }, times)
  }

  /** The payer decides, while another request or process works on the same payment. */
  async #decide({ of, decision, also }: Extract<Command, { how: 'decide at the bank' }>): Promise<void> {
    const waiting = await readChallenges(this.#world, this.tenant)
    const one = waiting[of % waiting.length]
    if (one === undefined) return
    const url = `https://pay.payments.test/pay/sandbox-bank/${one.challenge}`
    const others = {
      nothing: async () => {},
      void: async () => check(await this.tenant.void(one.transactionId)),
      sync: async () => check(await this.tenant.sync(one.transactionId)),
      sweep: () => this.#sweep(1_801_000),
    }
    const [[status]] = await Promise.all([openBank(this.#world, url).decide(decision), others[also]()])
    expect([303, 410]).toContain(status)
  }

  /** The provider reports another address for an authorization that waits, or late for one that has ended. */
  async #reportAction(pair: Pair, isById: boolean): Promise<void> {
    if (pair.type !== 'authorize' || pair.inLedger === null) return
    const expires_at = new Date(this.#world.deps.now().getTime() + hourMs).toISOString()
    const action = { type: 'redirect', url: 'https://bank.example.com/other', expires_at }
    await this.#post({ ...named(pair, isById), outcome: { kind: 'action_required', action } }, 1)
  }

  /** Changes nothing, except for a succeeded refund: that is a reversal. */
  async #reportOpposite(pair: Pair, isById: boolean): Promise<void> {
    if (pair.state !== 'succeeded') {
      return this.#post({ ...named(pair, isById), outcome: succeeded(pair.amount) }, 1)
    }
    if (pair.type === 'refund') await reversedInLedger(this.#world, pair)
    return this.#post({ ...named(pair, isById), outcome: declined }, 1)
  }

  async #post(report: Parameters<typeof buildEvent>[0], times: number): Promise<void> {
    const event = buildEvent(report)
    const posts = Array.from({ length: times }, () => this.#world.post(this.tenant.paymentOrchestratorId, event))
    for (const { status } of await Promise.all(posts)) expect(status).toBe(200)
  }

  async #sweep(afterMs: number): Promise<void> {
    this.#advance(afterMs)
    await untilNone(() => this.#world.resumeOpen())
    await this.#world.failSandboxRefunds()
    await this.#applyEvents()
  }

  async #expire(afterMs: number): Promise<void> {
    this.#advance(afterMs)
    await untilNone(() => this.#world.releaseExpired())
  }

  async #resolve(pair: Pair, choice: number): Promise<void> {
    this.#advance(dayMs)
    const outcome = await resolvedInLedger(this.#world, pair, choice)
    const path = `/v1/payment-proxy/transactions/${pair.transactionId}/operations/${pair.id}/resolve`
    const body = { outcome, note: 'Seen in the report' }
    const replies = [await this.tenant.send('post', path, body), await this.tenant.send('post', path, body)]
    for (const { status } of replies) expect([200, 202]).toContain(status)
  }

  async #applyEvents(): Promise<void> {
    await untilNone(() => applyAll(this.#world.reportingDeps))
  }

  #advance(ms: number): void {
    this.#aheadMs += ms
    this.#world.advanceClock(ms)
  }
}

/** Open without a call of the provider and without an action: a person can resolve it after a day. */
const isUnresolved = ({ state }: Pair) => state === 'unknown' || state === 'pending'

const declined = { kind: 'declined', declineCode: 'card_declined', retryable: false, providerCode: null } as const
const succeeded = (amount: number) => ({ kind: 'succeeded', amount, currency: 'EUR' }) as const

const named = ({ id }: Pair, isById: boolean) =>
  isById ? { operationId: id } : { operationId: null, providerReference: formatReference(id) }

function check({ status, body }: Reply, alsoAllowed = 200): void {
  if (![200, 201, 202, 402, 409, 422, 502, alsoAllowed].includes(status)) {
    throw new Error(`a response with ${status}: ${JSON.stringify(body)}`)
  }
}

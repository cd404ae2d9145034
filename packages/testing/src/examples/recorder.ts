import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { contracts } from '@payments/contracts/edges/contracts'
import type { Endpoint } from '@payments/contracts/grammar/contract'
import type { StableValues } from './stable-values.ts'

/** Sends requests to a running platform, and keeps requests and responses as the examples of the documentation. */
export interface ExampleRequest {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number>>
  /** Default: the example of the contract. */
  readonly body?: unknown
  /** Default: the API key of an administrator. */
  readonly headers?: Readonly<Record<string, string>>
}

interface Response {
  readonly status: number
  /** Read as a tenant's script would read it. */
  readonly body: any
}

/** As `packages/contracts/src/openapi/examples` has them. */
export interface RecordedExamples {
  readonly operations: Record<string, unknown>
  readonly problems: Record<string, unknown>
}

interface Target {
  readonly service: string
  readonly endpoint: Endpoint
}

const targets = new Map(
  contracts.flatMap(({ service, endpoints }) =>
    Object.entries(endpoints).map(([name, endpoint]): [string, Target] => [name, { service, endpoint }]),
  ),
)

const requestTimeoutMs = 30_000
const exampleCount = 12
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const deadlineMs = 120_000
const pauseMs = 250

export class Recorder {
  readonly examples = new Map<string, RecordedExamples>()
  readonly #gatewayUrl: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #stable: StableValues

  /** `headers`: the credential of every request that has no other. */
  constructor(gatewayUrl: string, headers: Readonly<Record<string, string>>, stable: StableValues) {
    this.#gatewayUrl = gatewayUrl
    this.#headers = headers
    this.#stable = stable
  }

  /** Sends the request of an operation, and keeps the exchange as its example. Returns the body. */
  async record(name: string, request: ExampleRequest = {}): Promise<any> {
    this.#beginPeriod(name)
    return this.#keep(name, request, await this.#send(name, request))
  }

  /** As `record`, of an operation with effects that arrive later: repeats a read until `isReady`. */
  async recordWhen(name: string, request: ExampleRequest, isReady: (body: any) => boolean): Promise<any> {
    return this.#keep(name, request, await this.#repeated(name, request, ({ body }) => isReady(body)))
  }

  /** As `record`, of an operation that gets `rejected` until it may run again, or until its service has a copy. */
  async recordAfter(rejected: 404 | 409, name: string, request: ExampleRequest): Promise<any> {
    return this.#keep(name, request, await this.#repeated(name, request, ({ status }) => status !== rejected))
  }

  /** As `recordWhen`, of counts of other requests, which may have been repeated: each is the same number, of now. */
  async recordCounts(name: string, request: ExampleRequest, isReady: (body: any) => boolean): Promise<void> {
    const { status, body } = await this.#repeated(name, request, (response) => isReady(response.body))
    this.#keep(name, request, { status, body: withCount(body) })
  }

  /** Sends the request of an operation and keeps nothing. Returns the body. */
  async send(name: string, request: ExampleRequest = {}): Promise<any> {
    this.#beginPeriod(name)
    const { status, body } = await this.#send(name, request)
    if (status >= 300) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`)
    return body
  }

  async sendUntil(name: string, request: ExampleRequest, isReady: (body: any) => boolean): Promise<any> {
    return (await this.#repeated(name, request, ({ body }) => isReady(body))).body
  }

  /** Sends a request that is rejected, and keeps the problem as the example of its code. */
  async reject(code: string, name: string, request: ExampleRequest = {}): Promise<void> {
    this.#beginPeriod(name)
    const { status, body } = await this.#send(name, request)
    if (body.code !== code) throw new Error(`${name}: ${status} ${JSON.stringify(body)} in place of ${code}`)
    this.#of(findTarget(name).service).problems[code] = this.#stable.of(body)
  }

  #keep(name: string, { path, query, body = findExample(name) }: ExampleRequest, response: Response): unknown {
    if (response.status >= 300) throw new Error(`${name}: ${response.status} ${JSON.stringify(response.body)}`)
    const sent = { ...(path && { path }), ...(query && { query }), ...(body !== undefined && { body }) }
    const { status, body: received } = response
    const replied = { status, ...(received !== undefined && { body: received }) }
    this.#of(findTarget(name).service).operations[name] = this.#stable.of({ request: sent, response: replied })
    return received
  }

  #of(service: string): RecordedExamples {
    const known = this.examples.get(service)
    if (known !== undefined) return known
    const made: RecordedExamples = { operations: {}, problems: {} }
    this.examples.set(service, made)
    return made
  }

  /** A read changes nothing, so what it shows belongs to the period before. */
  #beginPeriod(name: string): void {
    if (findTarget(name).endpoint.method !== 'GET') this.#stable.beginPeriod()
  }

  async #repeated(name: string, request: ExampleRequest, isLast: (response: Response) => boolean): Promise<Response> {
    const deadlineAt = Date.now() + deadlineMs
    this.#beginPeriod(name)
    for (;;) {
      const response = await this.#send(name, request)
      if (isLast(response)) return response
      if (Date.now() > deadlineAt) throw new Error(`${name}: ${JSON.stringify(response)}`)
      await delay(pauseMs)
    }
  }

  async #send(
    name: string,
    { path = {}, query = {}, body = findExample(name), headers }: ExampleRequest,
  ): Promise<Response> {
    const { method, path: template, idempotent } = findTarget(name).endpoint
    const search = new URLSearchParams(
      Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
    )
    const url = template.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(path[key] ?? ''))
    const response = await fetch(`${this.#gatewayUrl}${url}${search.size > 0 ? `?${search.toString()}` : ''}`, {
      method,
      headers: {
        'Trace-ID': randomUUID(),
        'User-Agent': 'juniper-backend/1.0',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(idempotent === true ? { 'Idempotency-Key': randomUUID() } : {}),
        ...(headers ?? this.#headers),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(requestTimeoutMs),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
}

function withCount(value: unknown): unknown {
  if (typeof value === 'number') return value === 0 ? 0 : exampleCount
  if (typeof value === 'string') return isTimeOfDay(value) ? toWholeMinute(Date.now()) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withCount)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withCount(inner)]))
}

/** An instant, and no start of an interval. */
const isTimeOfDay = (text: string) => /^\d{4}-\d\d-\d\dT/.test(text) && Date.parse(text) % hourMs !== 0

/** Stable values take a whole minute for the present period. A whole hour is the start of an interval. */
function toWholeMinute(now: number): string {
  const ms = now - (now % minuteMs)
  return new Date(ms % hourMs === 0 ? ms + minuteMs : ms).toISOString()
}

function findTarget(name: string): Target {
  const target = targets.get(name)
  if (target === undefined) throw new Error(`no contract has the operation ${name}`)
  return target
}

/** The example of the contract. It has no identifiers: a scenario passes a body with the identifiers of its tenant. */
export function findExample(name: string): any {
  return findTarget(name).endpoint.example
}

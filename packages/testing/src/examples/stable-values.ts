import { createHash } from 'node:crypto'

/**
 * **What it does.** Replaces what differs from run to run (identifiers, instants, secrets, cursors, addresses,
 * durations) with values that are the same in every run, so that a recorded example changes with its contract only.
 *
 * **Guarantees.** One real value becomes one stable value wherever it stands, also inside a text, a cursor or without
 * its dashes. Instants keep their order and their distance to a later expiry.
 *
 * **Not guaranteed.** The order of identifiers.
 */
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const firstInstantMs = Date.parse('2026-11-21T10:00:00.000Z')
const idPrefix = '0191e4a2-0000-7d11-8c55-91b6e0a7c'
const firstId = 0x100
const exampleDurationMs = 24
const exampleEnd = 'x4Tq'
const exampleSpanId = '00f067aa0ba902b7'

const patterns = {
  instant: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g,
  uuid: /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
  plainUuid: /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/g,
  digest: /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g,
  spanId: /(?<=^00-[0-9a-f]{32}-)[0-9a-f]{16}(?=-)/g,
  jwt: /eyJ[\w-]+\.[\w-]+\.[\w-]+/g,
  /** After a prefix that stays, the random part of a secret. */
  secret: /(?<=psk_dev_|whsec_|\/pay\/|\/session\/accept#)[\w+/=-]{20,}/g,
  /** The last characters of a secret. */
  masked: /(?<=…)[\w+/=-]{4}/g,
  month: /^\d{4}-\d\d$/,
  day: /^\d{4}-\d\d-\d\d$/,
} as const

export class StableValues {
  readonly #ids = new Map<string, string>()
  readonly #texts = new Map<string, string>()
  readonly #instants = new Map<string, string>()
  readonly #replacements: readonly (readonly [text: string, stable: string])[]
  /** When each period began: between two of them, every instant is the same minute. */
  readonly #periods: number[] = [Date.now()]

  /** `ids`: identifiers with a stable value of their own. `replacements`: other texts, such as addresses. */
  constructor(
    ids: Readonly<Record<string, string>>,
    replacements: readonly (readonly [text: string, stable: string])[],
  ) {
    for (const [id, stable] of Object.entries(ids)) this.#ids.set(id, stable)
    this.#replacements = replacements
  }

  /** Call it before each request that changes something. */
  beginPeriod(): void {
    this.#periods.push(Date.now())
  }

  /** The same value in every run. `key`: the member that has the value. */
  of(value: unknown, key = ''): unknown {
    // When a process last wrote it down, which follows the use by some seconds.
    if (key === 'last_used_at') return null
    if (Array.isArray(value)) return value.map((item) => this.of(item, key))
    if (typeof value === 'string') return this.#stableText(value, key)
    if (typeof value === 'number') return key.endsWith('_ms') ? exampleDurationMs : value
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [this.#stableText(name, ''), this.of(inner, name)]),
    )
  }

  #stableText(text: string, key: string): string {
    if (key === 'next_cursor') return this.#stableCursor(text)
    if (key === 'date') return new Date(firstInstantMs).toUTCString()
    if (key === 'webhook-timestamp') return String(firstInstantMs / 1_000)
    if (patterns.month.test(text)) return formatInstant(firstInstantMs).slice(0, 7)
    if (patterns.day.test(text)) return formatInstant(firstInstantMs).slice(0, 10)
    const replaced = this.#replacements.reduce((whole, [from, to]) => whole.replaceAll(from, to), text)
    return replaced
      .replaceAll(patterns.instant, (instant) => this.#stableInstant(instant))
      .replaceAll(patterns.uuid, (id) => this.#stableId(id))
      .replaceAll(patterns.plainUuid, (id) => this.#stableId(addDashes(id)).replaceAll('-', ''))
      .replaceAll(patterns.digest, (digest) => this.#once(digest, () => hashCount(this.#texts.size).toString('hex')))
      .replaceAll(patterns.spanId, exampleSpanId)
      .replaceAll(patterns.jwt, (token) =>
        this.#once(token, () => 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.c2lnbmF0dXJl'),
      )
      .replaceAll(patterns.secret, (secret) => this.#once(secret, () => this.#secretLike(secret)))
      .replaceAll(patterns.masked, (end) => this.#stableEnd(end))
  }

  #stableId(id: string): string {
    const known = this.#ids.get(id)
    if (known !== undefined) return known
    const stable = `${idPrefix}${(firstId + this.#ids.size).toString(16)}`
    this.#ids.set(id, stable)
    return stable
  }

  /** A cursor is the bytes of an id, or a position in JSON. */
  #stableCursor(cursor: string): string {
    const bytes = Buffer.from(cursor, 'base64url')
    if (bytes.length === 16) {
      return Buffer.from(this.#stableId(addDashes(bytes.toString('hex'))).replaceAll('-', ''), 'hex').toString(
        'base64url',
      )
    }
    try {
      return Buffer.from(JSON.stringify(this.of(JSON.parse(bytes.toString('utf8'))))).toString('base64url')
    } catch {
      return this.#once(cursor, () => this.#secretLike(cursor))
    }
  }

  /** The start of an hour is one of a statistic; a whole second was rounded down. */
  #stableInstant(instant: string): string {
    const known = this.#instants.get(instant)
    if (known !== undefined) return known
    const stable = formatInstant(this.#stableMs(Date.parse(instant)))
    this.#instants.set(instant, stable)
    return stable
  }

  #stableMs(ms: number): number {
    const [first = ms] = this.#periods
    const current = this.#periods.length - 1
    if (ms % hourMs === 0) return firstInstantMs + ms - Math.floor(first / hourMs) * hourMs
    const periodMs = (index: number) => firstInstantMs + Math.max(0, index) * minuteMs
    const isPast = ms <= Date.now()
    // Rounded down, to a second or a minute: maybe to one before its period.
    if (isPast && ms % 1_000 === 0) return periodMs(current)
    if (isPast) return periodMs(this.#periods.findLastIndex((began) => began <= ms))
    const ahead = ms - (this.#periods[current] ?? ms)
    return periodMs(current) + Math.round(ahead / minuteMs) * minuteMs
  }

  /** Of the secret that ends like this, if an exchange has shown it. */
  #stableEnd(end: string): string {
    const [, stable = exampleEnd] = [...this.#texts].find(([secret]) => secret.endsWith(end)) ?? []
    return stable.slice(-end.length)
  }

  #once(text: string, make: () => string): string {
    const known = this.#texts.get(text)
    if (known !== undefined) return known
    const made = make()
    this.#texts.set(text, made)
    return made
  }

  /** As long as the secret, of letters and digits. */
  #secretLike(secret: string): string {
    const letters = [0, 1, 2].map((part) => hashCount(this.#texts.size * 3 + part).toString('base64url'))
    return letters.join('').replaceAll(/[-_]/g, '0').slice(0, secret.length)
  }
}

const formatInstant = (ms: number) => new Date(ms).toISOString()
const hashCount = (count: number) => createHash('sha256').update(`example ${count}`).digest()
const addDashes = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

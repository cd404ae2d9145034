import type { Duplex } from 'node:stream'
import { within } from '@payments/chassis/base/deadline'
import { type Channel, type ChannelModel, type ConfirmChannel, connect, type RecoveringChannelModel } from 'amqplib'
import type { Logger } from 'pino'

export interface ConnectionWatcher {
  up?(): void
  unblocked?(): void
}

export type Readiness = { readonly ready: true } | { readonly ready: false; readonly reason: string }

export interface ConnectionOptions {
  /** `amqp://` or `amqps://`, with the vhost as path. */
  readonly url: string
  readonly purpose: 'publish' | 'consume'
  /** Shown in the broker's list of connections. */
  readonly name: string
  readonly log: Logger
  readonly connectTimeoutMs?: number
  readonly heartbeatSeconds?: number
  readonly retryMaxMs?: number
  readonly closeTimeoutMs?: number
}

/** Throws only if the address is invalid. `ready` reports whether the broker is reachable. */
export async function openConnection(options: ConnectionOptions): Promise<BrokerConnection> {
  const { url, name, purpose, connectTimeoutMs = 5_000, heartbeatSeconds = 10, retryMaxMs = 1_000 } = options
  const recovering = await connect(withHeartbeat(url, heartbeatSeconds), {
    clientProperties: { connection_name: `${name}.${purpose}` },
    noDelay: true,
    keepAlive: true,
    timeout: connectTimeoutMs,
    recovery: {
      waitForConnect: false,
      initialDelay: Math.min(100, retryMaxMs),
      maxDelay: retryMaxMs,
      maxRetries: Number.POSITIVE_INFINITY,
    },
  })
  return new BrokerConnection(recovering, options)
}

/**
 * **What it does.** Keeps one connection to the broker and reopens it after a loss. A process has two connections: a
 * broker short of memory or disk stops reading from connections that publish, and must still read acknowledgements.
 *
 * **Guarantees.** The connection is retried without end, at most `retryMaxMs` apart. A silent peer is detected by
 * heartbeat within three intervals. The log has one line per cause of a loss and one per recovery. `openConnection`
 * does not wait for the broker, so services start in any order.
 *
 * **Not guaranteed.** Channels and consumers are not restored; reconnecting-channel.ts does that.
 */
export class BrokerConnection {
  readonly purpose: 'publish' | 'consume'
  readonly #recovering: RecoveringChannelModel
  readonly #closeTimeoutMs: number
  readonly #log: Logger
  readonly #watchers = new Set<ConnectionWatcher>()
  #model: ChannelModel | undefined
  #blocked = false
  #closed = false
  #reason = 'connecting'

  constructor(recovering: RecoveringChannelModel, options: ConnectionOptions) {
    this.purpose = options.purpose
    this.#recovering = recovering
    this.#closeTimeoutMs = options.closeTimeoutMs ?? 5_000
    this.#log = options.log.child({ connection: `${options.name}.${options.purpose}` })
    recovering.on('connect', (model: ChannelModel) => this.#up(model))
    recovering.on('disconnect', (error: Error) => this.#goDown(error))
    recovering.on('connect-failed', (error: Error) => this.#goDown(error))
    // The `disconnect` that follows is handled. Without a listener the error would end the process.
    recovering.on('error', (error: Error) => this.#log.debug({ err: error }, 'connection error'))
    recovering.on('handler-error', (error: Error) => this.#log.error({ err: error }, 'a connection listener threw'))
    recovering.on('blocked', (why: string) => {
      this.#blocked = true
      this.#log.warn({ why }, 'the broker blocks publishers')
    })
    recovering.on('unblocked', () => {
      this.#blocked = false
      this.#log.info('the broker accepts messages again')
      for (const watcher of this.#watchers) watcher.unblocked?.()
    })
  }

  ready(): Readiness {
    if (this.#closed) return { ready: false, reason: 'closed' }
    if (this.#model === undefined) return { ready: false, reason: 'no connection to the broker' }
    return this.#blocked ? { ready: false, reason: 'the broker blocks publishers' } : { ready: true }
  }

  /** Whether the broker blocks publishers. Always false on a connection that never published. */
  isBlocked(): boolean {
    return this.#blocked
  }

  /** Rejects at once while the connection is down; `watch` reports when it is up. */
  async openChannel(): Promise<Channel> {
    return this.#requireModel().createChannel()
  }

  /** Rejects at once while the connection is down; `watch` reports when it is up. */
  async openConfirmChannel(): Promise<ConfirmChannel> {
    return this.#requireModel().createConfirmChannel()
  }

  /** Reports changes; also reports `up` at once if the connection is up. Returns the function that ends the watch. */
  watch(watcher: ConnectionWatcher): () => void {
    this.#watchers.add(watcher)
    if (this.#model !== undefined) watcher.up?.()
    return () => this.#watchers.delete(watcher)
  }

  /** Resolves within `closeTimeoutMs`, even if the broker does not confirm. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#watchers.clear()
    const last = this.#model
    try {
      await within(this.#closeTimeoutMs, 'closing the connection', this.#recovering.close())
    } catch (error) {
      this.#log.warn({ err: error }, 'the broker did not confirm the closing')
    }
    this.#model = undefined
    if (last !== undefined) destroySocket(last)
  }

  #up(model: ChannelModel): void {
    this.#model = model
    this.#reason = 'connecting'
    this.#log.info('connected to the broker')
    for (const watcher of this.#watchers) watcher.up?.()
  }

  #goDown(error: Error): void {
    // amqplib half-closes its socket and waits for the peer. A dead peer would keep the socket open for minutes.
    if (this.#model !== undefined) destroySocket(this.#model)
    this.#model = undefined
    this.#blocked = false
    if (this.#reason !== error.message) this.#log.warn({ err: error }, 'the broker is unreachable')
    this.#reason = error.message
  }

  #requireModel(): ChannelModel {
    if (this.#model === undefined) throw new Error(`no connection to the broker: ${this.#reason}`)
    return this.#model
  }
}

/** amqplib reads the heartbeat from the address only. A heartbeat in the address has priority. */
function withHeartbeat(url: string, heartbeatSeconds: number): string {
  const address = new URL(url)
  if (address.protocol !== 'amqp:' && address.protocol !== 'amqps:') {
    throw new Error(`the address of the broker must begin with amqp:// or amqps://, not ${address.protocol}//`)
  }
  if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', String(heartbeatSeconds))
  return address.href
}

/** Destroys with an error, because amqplib stops its heartbeat timers on an error of the socket, not on its close. */
function destroySocket(model: ChannelModel): void {
  const { stream } = model.connection as { readonly stream?: Duplex }
  stream?.destroy(new Error('the connection was abandoned'))
}

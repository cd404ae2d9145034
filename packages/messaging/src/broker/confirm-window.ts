import { type ConfirmChannel, IllegalOperationError, type Message } from 'amqplib'
import { type PendingPublication, PublishError } from './publication.ts'

export interface ConfirmWindowOptions {
  readonly messagesMax: number
  readonly bytesMax: number
  /** Called when a message has left the window. */
  readonly settled: () => void
}

/** The messages that are sent and not confirmed: at most `messagesMax`, and about `bytesMax` bytes. */
export class ConfirmWindow {
  readonly #options: ConfirmWindowOptions
  // In the order of sending, which is the order of the deadlines.
  readonly #inFlight = new Set<PendingPublication>()
  #bytes = 0

  constructor(options: ConfirmWindowOptions) {
    this.#options = options
  }

  size(): number {
    return this.#inFlight.size
  }

  /** Whether the window takes the message. An empty window takes a message of any length. */
  takes({ publication }: PendingPublication): boolean {
    const { messagesMax, bytesMax } = this.#options
    if (this.#inFlight.size === 0) return true
    return this.#inFlight.size < messagesMax && this.#bytes + publication.body.length <= bytesMax
  }

  /** Sends the message and settles it with its confirm. False if the channel is closed: nothing was sent. */
  send(channel: ConfirmChannel, pending: PendingPublication): boolean {
    const { exchange, routingKey, body, messageId, headers = {} } = pending.publication
    const properties = { persistent: true, mandatory: true, messageId, headers, contentType: 'application/json' }
    this.#inFlight.add(pending)
    this.#bytes += body.length
    try {
      channel.publish(exchange, routingKey, body, properties, (error) =>
        this.#settle(pending, findFailure(pending, error)),
      )
      return true
    } catch (error) {
      this.#inFlight.delete(pending)
      this.#bytes -= body.length
      // A closed channel throws here before it emits `close`.
      if (error instanceof IllegalOperationError) return false
      pending.reject(new PublishError('invalid', `message ${messageId} cannot be encoded`, { cause: error }))
      return true
    }
  }

  /** A return arrives before the confirm of the same message. Messages with the same id and address are equal. */
  markReturned(message: Message): void {
    const { exchange, routingKey } = message.fields
    for (const pending of this.#inFlight) {
      const { publication } = pending
      if (publication.messageId !== message.properties.messageId || pending.returned) continue
      if (publication.exchange !== exchange || publication.routingKey !== routingKey) continue
      pending.returned = true
      return
    }
  }

  /** Rejects the messages whose deadline is before `until`, and returns their number. */
  reject(createError: () => PublishError, until = Number.POSITIVE_INFINITY): number {
    const rejected = [...this.#inFlight].filter(({ deadlineAt }) => deadlineAt <= until)
    for (const pending of rejected) this.#settle(pending, createError())
    return rejected.length
  }

  #settle(pending: PendingPublication, error: PublishError | undefined): void {
    // A confirm that arrives after the message was rejected finds nothing.
    if (!this.#inFlight.delete(pending)) return
    this.#bytes -= pending.publication.body.length
    if (error === undefined) pending.resolve()
    else pending.reject(error)
    this.#options.settled()
  }
}

function findFailure(pending: PendingPublication, error: Error | null | undefined): PublishError | undefined {
  const { exchange, routingKey } = pending.publication
  const address = exchange === '' ? routingKey : `${exchange} ${routingKey}`
  if (error instanceof Error) {
    const failure = error.message === 'message nacked' ? 'nacked' : 'closed'
    return new PublishError(failure, `${address}: ${error.message}`, { cause: error })
  }
  return pending.returned ? new PublishError('returned', `${address}: no queue takes it`) : undefined
}

export interface Publication {
  /** '' publishes to the queue named by `routingKey`. */
  readonly exchange: string
  readonly routingKey: string
  readonly body: Buffer
  readonly messageId: string
  readonly headers?: Readonly<Record<string, unknown>>
}

export const publishFailures = ['returned', 'nacked', 'closed', 'timeout', 'overloaded', 'invalid'] as const
export type PublishFailure = (typeof publishFailures)[number]

/**
 * returned: no queue takes the message. nacked: a queue is full. closed: the channel or publisher closed. timeout: not
 * confirmed in time. overloaded: too many callers wait. invalid: the message cannot be encoded.
 */
export class PublishError extends Error {
  override readonly name = 'PublishError'
  readonly failure: PublishFailure

  constructor(failure: PublishFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.failure = failure
  }
}

/** A publication whose caller waits for the confirm. */
export interface PendingPublication {
  readonly publication: Publication
  readonly deadlineAt: number
  returned: boolean
  readonly resolve: () => void
  readonly reject: (error: PublishError) => void
}

/**
 * A failure of this process, not of the receiver: it has no sockets, cannot use the egress proxy or is stopping. The
 * request was not sent, or its result is unknown. Try again after `waitMs`.
 */
export class LocalFailure extends Error {
  override readonly name = 'LocalFailure'
  readonly waitMs: number
  /** Whether a part of the request may have been sent. */
  sent = false

  constructor(message: string, waitMs: number, options?: ErrorOptions) {
    super(message, options)
    this.waitMs = waitMs
  }
}

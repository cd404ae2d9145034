/**
 * The attempt was not made, or its end is not known, for a reason of ours: out of sockets, stopping. It is not the
 * receiver's fault and uses up no attempt; the delivery waits `waitMs`.
 */
export class OwnFault extends Error {
  override readonly name = 'OwnFault'
  readonly waitMs: number

  constructor(message: string, waitMs: number, options?: ErrorOptions) {
    super(message, options)
    this.waitMs = waitMs
  }
}

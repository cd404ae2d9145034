/**
 * A local failure: the attempt was not made, or its result is unknown, because this process has no sockets or is
 * stopping. It does not count as an attempt. The delivery waits `waitMs`.
 */
export class LocalFailure extends Error {
  override readonly name = 'LocalFailure'
  readonly waitMs: number

  constructor(message: string, waitMs: number, options?: ErrorOptions) {
    super(message, options)
    this.waitMs = waitMs
  }
}

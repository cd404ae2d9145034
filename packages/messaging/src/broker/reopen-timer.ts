const retryMinMs = 50
const retryMaxMs = 5_000
/** A channel that was open for this long resets the delay. */
const stableAfterMs = 1_000

/** Reopens a channel at once, and after failures with a delay that doubles with each, up to 5 s. */
export class ReopenTimer {
  readonly #reopen: () => void
  #failures = 0
  #openedAt = 0
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(reopen: () => void) {
    this.#reopen = reopen
  }

  /** Whether the last attempt failed, or the last channel was lost early. */
  hasFailed(): boolean {
    return this.#failures > 0
  }

  /** The connection is up again. */
  reset(): void {
    this.#failures = 0
  }

  noteOpen(): void {
    this.#openedAt = Date.now()
  }

  noteFailure(): void {
    this.#failures += 1
    this.#start()
  }

  noteLoss(): void {
    this.#failures = Date.now() - this.#openedAt < stableAfterMs ? this.#failures + 1 : 0
    this.#start()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  #start(): void {
    if (this.#isStopped || this.#timer !== undefined) return
    const waitMs = this.#failures === 0 ? 0 : Math.min(retryMaxMs, retryMinMs * 2 ** Math.min(this.#failures, 10))
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#reopen()
    }, waitMs)
  }
}

import { createSingleFlight } from '@payments/chassis/base/single-flight'
import type { Done } from './line-queue.ts'

export interface GroupSyncOptions {
  /** Whether there is a file to sync. */
  readonly isOpen: () => boolean
  readonly sync: () => Promise<void>
  /** Called after a failed sync. The lines stay here until `takeBack`. */
  readonly onFailure: (error: Error) => void
}

/** A line is on the disk within 100 ms. The disk has half of them. */
const syncDelayMs = 50

/**
 * The lines that are written and possibly not on the disk. One sync of the file serves all lines that wait for it. They
 * are no batch of the chassis, whose callers get the error: after a failed sync, the lines are taken back.
 */
export class GroupSync {
  readonly #options: GroupSyncOptions
  readonly #waiting: Done[] = []
  readonly #singleFlight = createSingleFlight<void>()
  #unsynced: string[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(options: GroupSyncOptions) {
    this.#options = options
  }

  /** Characters that are possibly not on the disk. */
  unsynced(): number {
    return this.#unsynced.reduce((sum, text) => sum + text.length, 0)
  }

  /** Adds lines that are written to the file, and the callers that wait until they are on the disk. */
  add(text: string, waiting: readonly Done[]): void {
    this.#unsynced.push(text)
    this.#waiting.push(...waiting)
  }

  /** Syncs what was added: at once if callers wait, otherwise within `syncDelayMs`. */
  request(): void {
    if (this.#waiting.length > 0) void this.run()
    else this.#timer ??= setTimeout(() => void this.run(), syncDelayMs)
  }

  /** Resolves after a sync that covers every line added before this call. */
  run(): Promise<void> {
    return this.#singleFlight('file', () => this.#sync())
  }

  /** Removes the lines and their callers. The content of the disk is unknown, so the lines are written again. */
  takeBack(): { readonly texts: string[]; readonly waiting: Done[] } {
    const texts = this.#unsynced
    this.#unsynced = []
    return { texts, waiting: this.#waiting.splice(0) }
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  async #sync(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (!this.#options.isOpen() || this.#unsynced.length === 0) return
    const covered = this.#unsynced
    const waiting = this.#waiting.splice(0)
    this.#unsynced = []
    try {
      await this.#options.sync()
      for (const done of waiting) done()
    } catch (error) {
      this.#unsynced = [...covered, ...this.#unsynced]
      this.#waiting.unshift(...waiting)
      this.#options.onFailure(error as Error)
    }
  }
}

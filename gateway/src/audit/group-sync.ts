import type { Done } from './line-queue.ts'

export interface GroupSyncOptions {
  /** Whether there is a file to sync. */
  readonly isOpen: () => boolean
  readonly sync: () => Promise<void>
  /** Called after a failed sync. The lines stay here until `takeBack`. */
  readonly failed: (error: Error) => void
}

/** Leaves half of the 100 ms to the disk. */
const syncDelayMs = 50

/** The lines that are written and possibly not on the disk. One sync of the file serves all lines that wait for it. */
export class GroupSync {
  readonly #options: GroupSyncOptions
  readonly #waiting: Done[] = []
  #unsynced: string[] = []
  #timer: NodeJS.Timeout | undefined
  #syncing: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

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

  /** Joins the sync that has not started, or queues one. That sync covers every line added before this call. */
  run(): Promise<void> {
    this.#next ??= this.#syncing.then(() => {
      this.#next = undefined
      this.#syncing = this.#sync()
      return this.#syncing
    })
    return this.#next
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
      this.#options.failed(error as Error)
    }
  }
}

export type Done = (error?: Error) => void

export interface QueuedLine {
  readonly text: string
  readonly isDurable: boolean
  readonly done: Done
}

const batchBytesMax = 1024 * 1024

/** The lines of the audit spool that are not written yet, in the order of writing. */
export class LineQueue {
  #lines: QueuedLine[] = []
  #bytes = 0

  isEmpty(): boolean {
    return this.#lines.length === 0
  }

  bytes(): number {
    return this.#bytes
  }

  add(line: QueuedLine): void {
    this.#lines.push(line)
    this.#bytes += line.text.length
  }

  /** Removes the lines of one write from the head. */
  take(): QueuedLine[] {
    let bytes = 0
    let count = 0
    while (count < this.#lines.length && bytes < batchBytesMax) bytes += this.#lines[count++]?.text.length ?? 0
    this.#bytes -= bytes
    return this.#lines.splice(0, count)
  }

  /** Adds texts at the head, to be written again. Detaches the callers of all lines, and returns the queued ones. */
  retry(texts: readonly string[]): Done[] {
    const callers = this.#lines.map(({ done }) => done)
    const all = [...texts, ...this.#lines.map(({ text }) => text)]
    this.#lines = all.map((text) => ({ text, isDurable: false, done: () => {} }))
    this.#bytes = this.#lines.reduce((sum, { text }) => sum + text.length, 0)
    return callers
  }
}

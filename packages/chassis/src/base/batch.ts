import { commonProblems, Problem } from '@payments/contracts/grammar/problem'

export interface BatchOptions<Item> {
  /** Of one run. Default: 100. */
  readonly itemsMax?: number
  /** The size of an item, and the maximum of a run. An item above the maximum runs alone. */
  readonly size?: { readonly of: (item: Item) => number; readonly max: number }
  /** Maximum number of runs in progress. Default: no limit. */
  readonly runningMax?: number
  /**
   * How long the first item waits for others while no run is in progress; 0: not at all. Default: until the end of the
   * current turn of the event loop, and not at all after a run.
   */
  readonly gatherMs?: number
  /** How long items wait for the end of the runs in progress, before a run starts beside them. Default: 25 ms. */
  readonly waitMsMax?: number
  /** Default: no limit, where the caller bounds the items. */
  readonly waitingMax?: number
  /** Whether an error fails all items of its run. Default: every error does. */
  readonly failsAll?: (error: unknown) => boolean
}

const defaults = {
  itemsMax: 100,
  size: { of: (_item: unknown) => 0, max: Number.POSITIVE_INFINITY },
  runningMax: Number.POSITIVE_INFINITY,
  waitMsMax: 25,
  waitingMax: Number.POSITIVE_INFINITY,
  failsAll: (_error: unknown) => true,
}

interface Entry<Item, Result> {
  readonly item: Item
  readonly size: number
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

type Run<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>

/**
 * **What it does.** Lets many callers share one run of a statement (group commit). Items that arrive during a run, or
 * within the time of the options, share the next one.
 *
 * **Participants.** Callers, and `run`, which returns one result per item, in order.
 *
 * **Guarantees.**
 * 1. An item never joins a run in progress, which may have read an earlier state. Runs begin in the order of arrival.
 * 2. A full run waits for nothing but `runningMax`.
 * 3. An error that fails all items rejects the callers of its run. After any other one, each half runs alone, and so
 *    on, so that only the item at fault fails. Later runs follow.
 *
 * **Not guaranteed.** An order between runs in progress.
 */
export class Batch<Item, Result> {
  readonly #run: Run<Item, Result>
  readonly #options: Required<Omit<BatchOptions<Item>, 'gatherMs'>> & Pick<BatchOptions<Item>, 'gatherMs'>
  readonly #running = new Set<Promise<void>>()
  #waiting: Entry<Item, Result>[] = []
  #waitingSize = 0
  /** When the first waiting item arrived, by the monotonic clock. */
  #gatheringSince = 0
  #added = 0
  #taken = 0
  #timer: NodeJS.Timeout | undefined
  #immediate: NodeJS.Immediate | undefined

  constructor(run: Run<Item, Result>, options: BatchOptions<Item>) {
    this.#run = run
    this.#options = { ...defaults, ...options }
  }

  /**
   * Resolves with the result of the item. Rejects with the error of its run, or with service_unavailable when
   * `waitingMax` items wait.
   */
  add(item: Item): Promise<Result> {
    const { size, waitingMax } = this.#options
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= waitingMax) throw tooManyWait()
      const entry = { item, size: size.of(item), resolve, reject }
      if (this.#waiting.length === 0) this.#gatheringSince = performance.now()
      this.#waiting.push(entry)
      this.#waitingSize += entry.size
      this.#added += 1
      this.#schedule()
    })
  }

  /** Ends the wait for further items. Resolves when the run of each added item has ended, also by a failure. */
  async flush(): Promise<void> {
    const added = this.#added
    while (this.#taken < added) {
      if (this.#mayRun()) this.#start()
      else await Promise.race(this.#running)
    }
    await Promise.all(this.#running)
  }

  /** Starts a run, or a timer for it, if items wait for neither. */
  #schedule(hasRunEnded = false): void {
    if (this.#waiting.length === 0 || !this.#mayRun()) return
    const { itemsMax, size, gatherMs, waitMsMax } = this.#options
    const isFull = this.#waiting.length >= itemsMax || this.#waitingSize >= size.max
    if (isFull) this.#start()
    else if (this.#running.size > 0) this.#startIn(waitMsMax)
    else if (gatherMs !== undefined) this.#startIn(gatherMs - (performance.now() - this.#gatheringSince))
    else if (hasRunEnded) this.#start()
    else this.#immediate ??= setImmediate(() => this.#start())
  }

  #startIn(ms: number): void {
    if (ms <= 0) this.#start()
    else this.#timer ??= setTimeout(() => this.#start(), ms)
  }

  #mayRun(): boolean {
    return this.#running.size < this.#options.runningMax
  }

  #start(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#immediate)
    this.#timer = this.#immediate = undefined
    const ended = runAll(this.#run, this.#options.failsAll, this.#take()).then(() => {
      this.#running.delete(ended)
      this.#schedule(true)
    })
    this.#running.add(ended)
    this.#schedule()
  }

  /** Removes the items of the next run. */
  #take(): readonly Entry<Item, Result>[] {
    const { itemsMax, size: sizes } = this.#options
    let count = 0
    let size = 0
    for (const entry of this.#waiting.slice(0, itemsMax)) {
      if (count > 0 && size + entry.size > sizes.max) break
      count += 1
      size += entry.size
    }
    this.#taken += count
    this.#waitingSize -= size
    this.#gatheringSince = performance.now()
    return this.#waiting.splice(0, count)
  }
}

function tooManyWait(): Problem {
  const detail = 'Too many calls wait for the database'
  return new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds: 1 })
}

/** Settles every entry; never rejects. */
async function runAll<Item, Result>(
  run: Run<Item, Result>,
  failsAll: (error: unknown) => boolean,
  entries: readonly Entry<Item, Result>[],
): Promise<void> {
  try {
    const results = await run(entries.map(({ item }) => item))
    if (results.length !== entries.length) throw new Error(`${results.length} results for ${entries.length} items`)
    for (const [index, { resolve }] of entries.entries()) resolve(results[index] as Result)
  } catch (error) {
    if (entries.length === 1 || failsAll(error)) {
      for (const { reject } of entries) reject(error)
      return
    }
    const half = Math.ceil(entries.length / 2)
    await runAll(run, failsAll, entries.slice(0, half))
    await runAll(run, failsAll, entries.slice(half))
  }
}

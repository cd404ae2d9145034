import { isOutage } from './outage.ts'

export interface MicroBatchOptions<Item> {
  readonly itemsMax?: number
  readonly waitMsMax?: number
  /** The size of an item, and the maximum of a batch. An item above the maximum is a batch of its own. */
  readonly size?: { readonly of: (item: Item) => number; readonly max: number }
  /** Maximum number of batches in progress. Default: no limit. */
  readonly runningMax?: number
}

/**
 * **What it does.** Lets many callers share one statement (group commit). Items that arrive while a batch runs form the
 * next batch, which starts when the running one ends, or after `waitMsMax`. Without a running batch, items wait for the
 * end of the current turn of the event loop.
 *
 * **Participants.** Callers, and `run`, which returns one result per item, in order.
 *
 * **Guarantees.** An outage fails all callers of a batch. After any other failure, each half of the batch runs alone,
 * and so on, so that only the item at fault fails.
 *
 * **Not guaranteed.** A bound on the items that wait. Below `runningMax`, a full or late batch starts beside the
 * running one.
 */
export function microBatch<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  options: MicroBatchOptions<Item> = {},
): (item: Item) => Promise<Result> {
  const { itemsMax = 100, waitMsMax = 25, runningMax = Number.POSITIVE_INFINITY } = options
  const { of: sizeOf, max: sizeMax } = options.size ?? { of: () => 0, max: 1 }
  let gathering: Entry<Item, Result>[] = []
  let gatheredSize = 0
  let running = 0
  let timer: NodeJS.Timeout | undefined
  let immediate: NodeJS.Immediate | undefined

  const isFull = () => gathering.length >= itemsMax || gatheredSize >= sizeMax
  const take = (): readonly Entry<Item, Result>[] => {
    let count = 0
    let size = 0
    for (const entry of gathering.slice(0, itemsMax)) {
      if (count > 0 && size + entry.size > sizeMax) break
      count += 1
      size += entry.size
    }
    const taken = gathering.slice(0, count)
    gathering = gathering.slice(count)
    gatheredSize -= size
    return taken
  }
  const start = async () => {
    clearTimeout(timer)
    clearImmediate(immediate)
    timer = immediate = undefined
    const entries = take()
    running += 1
    schedule()
    await runAll(run, entries)
    running -= 1
    if (running === 0 && gathering.length > 0) void start()
    else schedule()
  }
  const schedule = () => {
    if (gathering.length === 0 || running >= runningMax) return
    if (isFull()) void start()
    else if (running === 0) immediate ??= setImmediate(start)
    else timer ??= setTimeout(start, waitMsMax)
  }
  return (item) =>
    new Promise((resolve, reject) => {
      const size = sizeOf(item)
      gathering.push({ item, size, resolve, reject })
      gatheredSize += size
      schedule()
    })
}

interface Entry<Item, Result> {
  readonly item: Item
  readonly size: number
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** Settles every entry; never rejects. */
async function runAll<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  entries: readonly Entry<Item, Result>[],
): Promise<void> {
  try {
    const results = await run(entries.map(({ item }) => item))
    if (results.length !== entries.length) throw new Error(`${results.length} results for ${entries.length} items`)
    for (const [index, { resolve }] of entries.entries()) resolve(results[index] as Result)
  } catch (error) {
    if (entries.length === 1 || isOutage(error)) {
      for (const { reject } of entries) reject(error)
      return
    }
    const half = Math.ceil(entries.length / 2)
    await runAll(run, entries.slice(0, half))
    await runAll(run, entries.slice(half))
  }
}

import { isOutage } from './outage.ts'

/**
 * **What it does.** Lets many callers share one statement (group commit). Items that arrive while a batch runs form the
 * next batch, which starts when the running one ends, or after `waitMsMax`. Without a running batch, items wait for the
 * end of the current turn of the event loop.
 *
 * **Participants.** Callers, and `run`, which returns one result per item, in order.
 *
 * **Guarantees.** A batch has at most `itemsMax` items. An outage fails all callers of a batch. After any other
 * failure, each item runs alone, so that only the item at fault fails.
 *
 * **Not guaranteed.** A bound on the items that wait. One batch at a time: a full or late batch starts beside the
 * running one.
 */
export function microBatch<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { itemsMax = 100, waitMsMax = 25 }: { itemsMax?: number; waitMsMax?: number } = {},
): (item: Item) => Promise<Result> {
  let gathering: Entry<Item, Result>[] = []
  let running = 0
  let timer: NodeJS.Timeout | undefined
  let immediate: NodeJS.Immediate | undefined

  const flush = async () => {
    clearTimeout(timer)
    clearImmediate(immediate)
    timer = immediate = undefined
    const entries = gathering
    gathering = []
    running += 1
    await runAll(run, entries)
    running -= 1
    if (running === 0 && gathering.length > 0) void flush()
  }
  return (item) =>
    new Promise((resolve, reject) => {
      gathering.push({ item, resolve, reject })
      if (gathering.length >= itemsMax) void flush()
      else if (running === 0) immediate ??= setImmediate(flush)
      else timer ??= setTimeout(flush, waitMsMax)
    })
}

interface Entry<Item, Result> {
  readonly item: Item
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
    for (const entry of entries) await runAll(run, [entry])
  }
}

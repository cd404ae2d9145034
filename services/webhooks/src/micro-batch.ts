import { isOutage } from '@payments/messaging/outage'

/**
 * Many callers, one statement, as a database commits in groups: what comes while a batch runs goes out together when that is
 * done, or after `waitMsMax`; what comes when none runs, at the end of this turn of the event loop; never more than `itemsMax`.
 * So one alone hardly waits, and the more there is to do the more share a statement.
 *
 * `run` answers one result per item, in their order. When it fails because something is away, all its callers fail with that.
 * When it fails for any other reason, one item may be to blame for it: each is tried alone, so that only that one fails.
 * Bounded by its callers: each waits for its result.
 */
export function microBatch<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { itemsMax = 100, waitMsMax = 25 }: { itemsMax?: number; waitMsMax?: number } = {},
): (item: Item) => Promise<Result> {
  let gathering: Entry<Item, Result>[] = []
  let running = 0
  let timer: NodeJS.Timeout | undefined
  let turnEnd: NodeJS.Immediate | undefined

  const flush = async () => {
    clearTimeout(timer)
    clearImmediate(turnEnd)
    timer = turnEnd = undefined
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
      else if (running === 0) turnEnd ??= setImmediate(flush)
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

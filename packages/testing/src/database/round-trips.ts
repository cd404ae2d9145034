import { roundTrips } from '@payments/chassis/database/session'

const runs = 5

/**
 * The round trips of `work` to the databases of this process. The fewest of several runs, since the jobs of the process
 * have round trips too.
 */
export async function fewestRoundTrips(work: () => Promise<unknown>): Promise<number> {
  const trips: number[] = []
  for (let run = 0; run < runs; run += 1) {
    const before = await count()
    await work()
    trips.push((await count()) - before)
  }
  return Math.min(...trips)
}

async function count(): Promise<number> {
  return (await roundTrips.get()).values[0]?.value ?? 0
}

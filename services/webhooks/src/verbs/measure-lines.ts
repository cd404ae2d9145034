import type { DispatcherDeps } from '../deps.ts'
import { countLines } from '../store/line.ts'

/** Shows how much waits for its destination. */
export async function measureLines({ db, meters }: Pick<DispatcherDeps, 'db' | 'meters'>): Promise<void> {
  meters.lines(await countLines(db.sql))
}

/** The CPU of a platform that gets no request, its servers included, and the work of its databases meanwhile. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Service } from '@payments/devkit/servers/databases'
import type { TestStack } from '@payments/testing/platform/local-stack'
import { type DatabaseWork, withDatabaseWork } from './database-work.ts'
import { type CpuRows, withPlatformCpu } from './platform-cpu.ts'
import type { Administrator } from './postgres-cpu.ts'
import { roundTo } from './sample-statistics.ts'

interface Rest {
  readonly seconds: number
  readonly cpu: CpuRows
  readonly databases: ReadonlyMap<Service, DatabaseWork>
}

export async function measureRest(stack: TestStack, administrator: Administrator, seconds: number): Promise<Rest> {
  const {
    result: { result: elapsed, databases },
    cpu,
  } = await withPlatformCpu(stack, administrator, () =>
    withDatabaseWork(stack, administrator, async () => {
      const startedAt = performance.now()
      await delay(seconds * 1_000)
      return (performance.now() - startedAt) / 1_000
    }),
  )
  return { seconds: elapsed, cpu, databases }
}

export function printRest({ seconds, cpu, databases }: Rest): void {
  const perSecond = (count: number | undefined) => (count === undefined ? undefined : roundTo(count / seconds, 2))
  console.log(`At rest for ${roundTo(seconds, 0)} s: CPU in % of a core`)
  console.table([...cpu].map(([process, ms]) => ({ process, '% of a core': roundTo(ms / seconds / 10, 2) })))
  console.log('At rest: work of the databases per second, each statement that begins or ends a transaction included')
  console.table(
    [...databases].map(([service, { statements, transactions, roundTrips }]) => ({
      service,
      statements: perSecond(statements?.all),
      transactions: perSecond(transactions),
      'round trips': perSecond(roundTrips),
    })),
  )
}

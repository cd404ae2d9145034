/** CPU of every process of a platform and of its servers. Load and receivers are other processes, and not counted. */
import { processNames } from '@payments/devkit/platform/process-plan'
import { services } from '@payments/devkit/servers/databases'
import type { TestStack } from '@payments/testing/platform/local-stack'
import { type CpuTimes, cpuTimes, spentMs } from './cpu-time.ts'
import { type Administrator, type PostgresCpu, postgresSpent, readPostgresCpu } from './postgres-cpu.ts'
import { roundTo } from './sample-statistics.ts'
import { serverPids } from './server-process.ts'

interface PlatformCpu {
  /** By name of the process. */
  readonly processes: ReadonlyMap<string, CpuTimes>
  readonly postgres: PostgresCpu
}

/** By name of the row, in ms; `total` is the sum. */
export type CpuRows = ReadonlyMap<string, number>

/** Runs `work` and returns its result with the CPU that every process spent meanwhile. */
export async function withPlatformCpu<T>(
  stack: TestStack,
  administrator: Administrator,
  work: () => Promise<T>,
): Promise<{ result: T; cpu: CpuRows }> {
  const before = await read(stack, administrator)
  const result = await work()
  return { result, cpu: toCpuRows(stack, before, await read(stack, administrator)) }
}

async function read(stack: TestStack, administrator: Administrator): Promise<PlatformCpu> {
  const ofPlatform = processNames.map((name) => [name, cpuTimes([stack.pid(name)])] as const)
  return {
    processes: new Map([...ofPlatform, ['RabbitMQ', cpuTimes(serverPids('rabbitmq'))]]),
    postgres: await readPostgresCpu(administrator),
  }
}

function toCpuRows(stack: TestStack, before: PlatformCpu, after: PlatformCpu): CpuRows {
  const postgres = postgresSpent(before.postgres, after.postgres)
  const ofSessions = services.map((service) => {
    const spent = postgres.sessionsMs.get(databaseName(stack, service)) ?? 0
    return [`PostgreSQL, ${service}`, spent] as const
  })
  const rows = new Map([
    ...[...after.processes].map(
      ([name, times]) => [name, spentMs(before.processes.get(name) ?? new Map(), times)] as const,
    ),
    ...ofSessions,
    ['PostgreSQL, background', postgres.backgroundMs],
    ['PostgreSQL, ended meanwhile', postgres.endedMs],
  ])
  return rows.set(
    'total',
    [...rows.values()].reduce((sum, ms) => sum + ms, 0),
  )
}

export function databaseName({ databases }: TestStack, service: (typeof services)[number]): string {
  return new URL(databases[service].url).pathname.slice(1)
}

/** One row per process, one column per measurement: CPU in ms divided by the count of the measurement. */
export function cpuTable(
  columns: readonly { readonly label: string; readonly cpu: CpuRows; readonly count: number }[],
) {
  const names = [...(columns[0]?.cpu.keys() ?? [])]
  return names.map((name) => ({
    process: name,
    ...Object.fromEntries(columns.map(({ label, cpu, count }) => [label, roundTo((cpu.get(name) ?? 0) / count, 3)])),
  }))
}

/**
 * CPU of the private PostgreSQL of a run: its database sessions by database, and its background processes. Sessions and
 * workers that ended between two readings are a sum of their own, because their postmaster has it.
 */
import { existsSync, readdirSync } from 'node:fs'
import { readParent } from '@payments/devkit/processes/process-table'
import type pg from 'pg'
import { type CpuTimes, cpuMs, cpuTimes, endedChildrenCpuMs, spentMs } from './cpu-time.ts'
import { serverPids } from './server-process.ts'

/** An open session of an administrator of the server. */
export type Administrator = pg.Client

export interface PostgresCpu {
  /** By name of the database. */
  readonly sessions: ReadonlyMap<string, CpuTimes>
  readonly background: CpuTimes
  /** Of all children of the postmaster that have ended since its start. */
  readonly endedMs: number
}

export interface PostgresSpent {
  readonly sessionsMs: ReadonlyMap<string, number>
  /** Postmaster, WAL writer, checkpointer, autovacuum and the like. */
  readonly backgroundMs: number
  /** Sessions and workers that ended meanwhile. */
  readonly endedMs: number
}

/** All zero when PostgreSQL is not a private server of this run. */
export async function readPostgresCpu(administrator: Administrator): Promise<PostgresCpu> {
  const postmasters = serverPids('postgres')
  const { rows } = await administrator.query<{ pid: number; datname: string }>(
    `SELECT pid, datname FROM pg_stat_activity WHERE backend_type = 'client backend'`,
  )
  const children = new Set(findChildren(postmasters))
  const own = rows.filter(({ pid }) => children.has(pid))
  const sessions = new Map<string, Map<number, number>>()
  for (const { pid, datname } of own) {
    const times = sessions.get(datname) ?? new Map<number, number>()
    sessions.set(datname, times.set(pid, cpuMs(pid)))
    children.delete(pid)
  }
  return {
    sessions,
    background: cpuTimes([...postmasters, ...children]),
    endedMs: postmasters.reduce((sum, pid) => sum + endedChildrenCpuMs(pid), 0),
  }
}

export function postgresSpent(before: PostgresCpu, after: PostgresCpu): PostgresSpent {
  const known = [before, after].map(({ sessions, background }) =>
    [...sessions.values(), background].flatMap((times) => [...times]),
  )
  const left = new Set(known[1]?.map(([pid]) => pid))
  const countedMs = (known[0] ?? []).reduce((sum, [pid, ms]) => sum + (left.has(pid) ? 0 : ms), 0)
  const none: CpuTimes = new Map()
  return {
    sessionsMs: new Map(
      [...after.sessions].map(([name, times]) => [name, spentMs(before.sessions.get(name) ?? none, times)]),
    ),
    backgroundMs: spentMs(before.background, after.background),
    endedMs: Math.max(0, after.endedMs - before.endedMs - countedMs),
  }
}

function findChildren(parents: readonly number[]): number[] {
  if (parents.length === 0 || !existsSync('/proc')) return []
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.filter((pid) => parents.includes(readParent(pid)?.pid ?? 0))
}

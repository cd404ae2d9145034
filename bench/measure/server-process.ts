import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { profile } from '@payments/devkit/machine/profile'

/** The private server of this run. None when the run uses another server, whose CPU is then not counted. */
export function serverPids(server: 'postgres' | 'rabbitmq'): number[] {
  const file = join(profile('test').directory, 'processes.json')
  if (!existsSync(file)) return []
  const processes = JSON.parse(readFileSync(file, 'utf8')) as { name: string; pid: number }[]
  return processes.filter(({ name }) => name === server).map(({ pid }) => pid)
}

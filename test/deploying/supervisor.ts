import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ProcessGroup } from '@payments/devkit/processes/process-group'
import { readEnvFile } from '@payments/payctl/installation/env-file'

/** Starts a process as systemd would from the unit of the page. */
export interface Unit {
  readonly text: string
  /** In place of the directories of the unit. */
  readonly directories: Readonly<Record<string, string>>
  /** Variables that the test adds. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly logDirectory: string
}

const readyTimeoutMs = 180_000

export function startUnit(unit: Unit, name: string, group: ProcessGroup) {
  const text = Object.entries(unit.directories).reduce((line, [from, to]) => line.replaceAll(from, to), unit.text)
  const lines = text.split('\n').map((line) => line.replaceAll('%i', name))
  const readValues = (key: string) =>
    lines.flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []))
  const files = readValues('EnvironmentFile').map((file) => readEnvFile(readFileSync(file, 'utf8')))
  const own = new Map([...readEnvFile(readValues('Environment').join('\n')), ...files.flatMap((file) => [...file])])
  const [, ...args] = (readValues('ExecStart')[0] ?? '').split(' ').flatMap((word) => expand(word, own))
  const child = group.launch({
    name,
    command: process.execPath,
    args,
    cwd: readValues('WorkingDirectory')[0] ?? '',
    env: { ...unit.env, ...Object.fromEntries(own) },
    logFile: join(unit.logDirectory, `${name}.log`),
    stopTimeoutMs: 12_000,
  })
  const port = own.get('INTERNAL_PORT') === '0' ? own.get('PORT') : own.get('INTERNAL_PORT')
  return {
    child,
    ready: () => untilReady(`http://127.0.0.1:${port}/readyz`, name, () => child.hasExited(), child.logFile),
  }
}

/** systemd splits `$NAME` into words, and takes `${NAME}` as one. */
function expand(word: string, variables: ReadonlyMap<string, string>): string[] {
  const [, braced, plain] = /^\$(?:\{(\w+)\}|(\w+))$/.exec(word) ?? []
  if (plain !== undefined) return (variables.get(plain) ?? '').split(' ').filter((part) => part !== '')
  return [braced === undefined ? word : (variables.get(braced) ?? '')]
}

/** The body of `/readyz`. Throws with the log of a process that ends or is not ready in time. */
async function untilReady(url: string, name: string, hasExited: () => boolean, logFile: string): Promise<unknown> {
  const deadline = Date.now() + readyTimeoutMs
  while (!hasExited() && Date.now() < deadline) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(3_000), headers: { connection: 'close' } })
      if (response.ok) return await response.json()
    } catch {
      // It does not listen yet.
    }
    await delay(200)
  }
  throw new Error(`${name} is not ready:\n${readFileSync(logFile, 'utf8').slice(-3_000)}`)
}

/** Installs packages of Debian as root. Services of the machine are not started. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { find, isRoot } from '../machine/machine.ts'
import { UserError } from '../machine/user-error.ts'
import { runToEnd } from '../processes/process-group.ts'

const installTimeoutMs = 300_000
/** A fresh machine may run its own upgrade, which holds the lock of dpkg. */
const lockTimeoutSeconds = 240

export function mayInstall(): boolean {
  return isRoot() && find('apt-get') !== undefined
}

/** Installs a program when it is missing and this machine allows it. `name`: the package that has it. */
export async function provideProgram(program: string, name: string, say: (line: string) => void): Promise<void> {
  if (find(program) === undefined && mayInstall()) await aptInstall(name, say)
}

let latest: Promise<unknown> = Promise.resolve()

/** One installation at a time. A temporary policy-rc.d forbids services. */
export function aptInstall(name: string, say: (line: string) => void): Promise<void> {
  return afterOthers(() => install(name, say))
}

/** Extracts a package into `directory`. Neither the package nor what it depends on is installed. */
export function aptExtract(name: string, directory: string, say: (line: string) => void): Promise<void> {
  return afterOthers(() => extract(name, directory, say))
}

function afterOthers(work: () => Promise<void>): Promise<void> {
  const done = latest.then(work)
  latest = done.catch(() => {})
  return done
}

async function install(name: string, say: (line: string) => void): Promise<void> {
  const policy = forbidServices()
  try {
    say(`${name} is not on this machine: running apt-get update`)
    await apt(['update'])
    say(`Running apt-get install ${name}`)
    await apt(['install', '-y', '--no-install-recommends', name])
  } finally {
    policy.lift()
  }
}

async function extract(name: string, directory: string, say: (line: string) => void): Promise<void> {
  const partial = `${directory}.partial`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true })
  say(`${name} is not on this machine: downloading its package`)
  // Lists of packages may be missing or old.
  const download = () => apt(['download', '-o', 'APT::Sandbox::User=root', name], partial)
  await download().catch(async () => {
    await apt(['update'])
    await download()
  })
  const file = readdirSync(partial).find((entry) => entry.endsWith('.deb'))
  if (file === undefined) throw new UserError(`apt-get download ${name} left no file.`)
  await runCommand('dpkg-deb', ['--extract', file, '.'], partial)
  rmSync(join(partial, file))
  rmSync(directory, { recursive: true, force: true })
  renameSync(partial, directory)
}

function apt(args: readonly string[], cwd = '/'): Promise<void> {
  return runCommand('apt-get', [...args, '-o', `DPkg::Lock::Timeout=${lockTimeoutSeconds}`], cwd)
}

async function runCommand(command: string, args: readonly string[], cwd: string): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  const { code, output } = await runToEnd(command, args, { env, cwd, timeoutMs: installTimeoutMs })
  const end = output.trim().split('\n').slice(-8).join('\n')
  if (code !== 0) throw new UserError(`${command} ${args[0]} failed:\n${end}`)
}

function forbidServices(): { lift: () => void } {
  const file = '/usr/sbin/policy-rc.d'
  if (existsSync(file)) return { lift: () => {} } // the machine has a policy of its own
  writeFileSync(file, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  const lift = () => {
    process.off('exit', lift)
    rmSync(file, { force: true })
  }
  // After a signal, nothing waits for the installation.
  process.on('exit', lift)
  return { lift }
}

/** PgBouncer of the test of poolers: found on this machine, or installed from Debian as root. */
import { find } from '../machine/machine.ts'
import { aptInstall, mayInstall } from './apt.ts'

export function findPgbouncer(): string | undefined {
  return find('pgbouncer')
}

/** Installs PgBouncer when it is missing and this machine allows it. */
export async function providePgbouncer(say: (line: string) => void): Promise<void> {
  if (findPgbouncer() === undefined && mayInstall()) await aptInstall('pgbouncer', say)
}

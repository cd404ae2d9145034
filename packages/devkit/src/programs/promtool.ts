/** promtool of the tests of rules and metrics: found on this machine, or taken from Debian's package as root. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { find } from '../machine/machine.ts'
import { root } from '../machine/profile.ts'
import { aptExtract, mayInstall } from './apt.ts'

const directory = join(root, '.data', 'tools', 'prometheus')
const extracted = join(directory, 'usr', 'bin', 'promtool')

/** promtool on PATH, or from an earlier `providePromtool`. */
export function findPromtool(): string | undefined {
  return find('promtool') ?? (existsSync(extracted) ? extracted : undefined)
}

/**
 * Downloads Debian's package prometheus and extracts it, when promtool is missing and this machine allows it. That
 * takes three seconds; an installation of the package takes sixteen, and starts a service.
 */
export async function providePromtool(say: (line: string) => void): Promise<void> {
  if (findPromtool() === undefined && mayInstall()) await aptExtract('prometheus', directory, say)
}

/** Go, for the test of the Go program in the guides: found on this machine, or installed from Debian as root. */

import { find } from '../machine/machine.ts'
import { aptInstall, mayInstall } from './apt.ts'

export const findGo = () => find('go')

/** Installs Go when it is missing and this machine allows it. Without Go, one program of the guides is not tested. */
export async function provideGo(say: (line: string) => void): Promise<void> {
  if (findGo() === undefined && mayInstall()) await aptInstall('golang-go', say)
}

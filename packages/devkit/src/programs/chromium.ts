/** The browser of the tests of pages: found on this machine, or installed from Debian as root. */

import { find } from '../machine/machine.ts'
import { formatError, UserError } from '../machine/user-error.ts'
import { aptInstall, mayInstall } from './apt.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The browser that CHROMIUM_PATH names, or one on PATH. */
export function findChromium(): string | undefined {
  return process.env['CHROMIUM_PATH'] ?? names.map((name) => find(name)).find((file) => file !== undefined)
}

/** The browser of this machine. Throws the message that names what to install. */
export function requireChromium(): string {
  const file = findChromium()
  if (file === undefined) throw new UserError(missing)
  return file
}

/** Installs the browser when it is missing and this machine allows it. Throws one message otherwise. */
export async function provideChromium(say: (line: string) => void): Promise<void> {
  if (findChromium() === undefined && mayInstall()) {
    try {
      await aptInstall('chromium', say)
    } catch (error) {
      throw new UserError(`${missing}\n\nThe attempt to install it: ${formatError(error)}`, { cause: error })
    }
  }
  requireChromium()
}

const missing =
  'The tests of pages need Chromium. Run apt-get install chromium, or name a browser: CHROMIUM_PATH=/path/to/chrome'

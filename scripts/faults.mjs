/**
 * pnpm faults webhooks [--only NAME[,NAME]]: does every fault of test/faults/ to the running platform, each by itself, and prints what
 * became of the events. `--only`: those whose name has NAME in it. On servers of its own, and on compiled packages.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bootstrap, root, run } from './bootstrap.mjs'

const usage = 'Usage: pnpm faults webhooks [--only NAME[,NAME]]: docs/faults.md has the names'

await run(async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { only: { type: 'string', default: 'all' } },
  })
  if (positionals.length !== 1 || positionals[0] !== 'webhooks') {
    console.error(usage)
    return 2
  }
  await bootstrap()
  const node = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning']
  const jest = [join(root, 'node_modules', 'jest', 'bin', 'jest.js'), '--runTestsByPath', 'test/faults.test.ts']
  const env = { ...process.env, FAULTS: values.only }
  const faults = spawn(process.execPath, [...node, ...jest], { cwd: root, env, stdio: 'inherit' })
  return new Promise((resolve) => faults.once('exit', (code) => resolve(code ?? 1)))
})

/**
 * npm run verify: every check that needs no database, two at a time. `--static` omits the checks that `npm test` runs
 * among its tests. Prints the output of each failed check; exits 1 after a failure.
 */
import { spawn } from 'node:child_process'
import { root, run } from './bootstrap.mjs'

/** The longest check first. Type-aware lint and the types of the tests read the output of `build`. */
const afterBuild = ['lint', 'types']
const independent = ['format', 'boundaries', 'dead', 'openapi']
const tests = ['tidy', 'manifests']
const checksAtOnce = 2

await run(async () => {
  const isStatic = process.argv.includes('--static')
  const checks = ['build', ...independent, ...(isStatic ? [] : tests)]
  const failed = []
  const worker = async () => {
    for (let check = checks.shift(); check !== undefined; check = checks.shift()) {
      if (!(await passes(check === 'build' ? check : `verify:${check}`))) failed.push(check)
      if (check === 'build') checks.unshift(...afterBuild)
    }
  }
  await Promise.all(Array.from({ length: checksAtOnce }, worker))
  if (failed.length === 0) return 0
  console.error(`\nverify: ${failed.join(', ')} failed`)
  return 1
})

/** Runs a script of package.json and prints its output in one piece when it fails. */
function passes(script) {
  const from = performance.now()
  const child = spawn('npm', ['run', '--silent', script], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
  return new Promise((resolve) => {
    child.once('close', (code) => {
      const seconds = ((performance.now() - from) / 1_000).toFixed(1)
      console.log(`${code === 0 ? '✓' : '✗'} ${script} (${seconds} s)`)
      if (code !== 0) process.stdout.write(Buffer.concat(output))
      resolve(code === 0)
    })
  })
}

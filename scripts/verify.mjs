/**
 * npm run verify: every check that needs no database, two at a time. `--static`: without those that are tests, which npm test runs
 * among its others. Prints what failing ones said; exits 1 when there is one.
 */
import { spawn } from 'node:child_process'
import { root, run } from './bootstrap.mjs'

const lanes = [['types'], ['format', 'lint', 'boundaries', 'dead']]
const tests = ['tidy']

await run(async () => {
  const isStatic = process.argv.includes('--static')
  // Type-aware lint and the types of the tests read what this writes.
  const failed = (await passes('build')) ? [] : ['build']
  await Promise.all(
    lanes.map(async (checks) => {
      for (const check of checks) if (!(await passes(`verify:${check}`))) failed.push(check)
    }),
  )
  for (const check of isStatic ? [] : tests) if (!(await passes(`verify:${check}`))) failed.push(check)
  if (failed.length === 0) return 0
  console.error(`\nverify: ${failed.join(', ')} failed`)
  return 1
})

/** One after the other's output, not mixed. */
function passes(script) {
  const from = performance.now()
  const child = spawn('npm', ['run', '--silent', script], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk))
  return new Promise((resolve) => {
    child.once('close', (code) => {
      const seconds = ((performance.now() - from) / 1_000).toFixed(1)
      console.log(`${code === 0 ? '✓' : '✗'} ${script} (${seconds} s)`)
      if (code !== 0) process.stdout.write(Buffer.concat(said))
      resolve(code === 0)
    })
  })
}

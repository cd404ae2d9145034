/**
 * npm run verify [-- NAME…]: the checks that need no database, or those that are named, two at a time.
 * `--beside-tests`: one at a time, with the processor time that the tests leave. Prints the output of each failed
 * check; exits 1 after a failure.
 */
import { setPriority } from 'node:os'
import { prepare, root, run } from '../bootstrap.mjs'
import { endingBySignals, quietly } from '../processes.mjs'

/** The longest check first. These read the output of `build`. */
const afterBuild = ['lint', 'types', 'boundaries', 'dead']
const independent = ['format', 'openapi', 'tidy', 'manifests']
const belowNormal = 10

await run(async () => {
  const names = process.argv.slice(2)
  const isBesideTests = names[0] === '--beside-tests'
  const isChosen = (check) => names.length === 0 || names.includes(check)
  if (isBesideTests) setPriority(belowNormal)
  await prepare()
  const checks = ['build', ...independent].filter(isChosen)
  const failed = []
  const worker = async () => {
    for (let check = checks.shift(); check !== undefined; check = checks.shift()) {
      if (!(await passes(`verify:${check}`))) failed.push(check)
      if (check === 'build') checks.unshift(...afterBuild.filter(isChosen))
    }
  }
  await endingBySignals(() => Promise.all(Array.from({ length: isBesideTests ? 1 : 2 }, worker)))
  if (failed.length === 0) return 0
  console.error(`\nverify: ${failed.join(', ')} failed`)
  return 1
})

/** Runs a script of package.json and prints the end of its output when it fails. */
async function passes(script) {
  const from = performance.now()
  const { code, output } = await quietly('npm', ['run', '--silent', script], { cwd: root })
  const seconds = ((performance.now() - from) / 1_000).toFixed(1)
  console.log(`${code === 0 ? '✓' : '✗'} ${script} (${seconds} s)`)
  if (code !== 0) process.stdout.write(output)
  return code === 0
}

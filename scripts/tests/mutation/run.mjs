/**
 * **What it does.** Runs each mutant in a copy of the checkout against its tests.
 *
 * **Guarantees.** The checkout is not changed. Child processes end with the command. Each result is written to disk at
 * once, so the next run continues an interrupted one.
 *
 * **Not guaranteed.** The cause of a failure: `by` in the results names the failed test.
 */
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { copyRepository, put, readContent } from './copy.mjs'
import { withMutant } from './mutants.mjs'

/** How much longer than without a mutant its tests may take. */
const patience = { factor: 3, extraMs: 30_000 }
const baselineTimeoutMs = 480_000
const baselineAttempts = 3
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
const outputMax = 64 * 1024

/**
 * @param {{ file: string, fast: string[], slow: string[], id: string, line: number, operator: string }[]} mutants
 * @param {{ root: string, parallel: number, record: (result: object) => void, env: object }} options
 */
export async function runMutants(mutants, { root, parallel, record, env }) {
  const directory = mkdtempSync(join(tmpdir(), 'payment-service-mutants-'))
  const children = new Set()
  const clean = () => {
    for (const child of children) endGroup(child)
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
  }
  process.once('exit', clean)
  let isStopped = false
  const stop = () => {
    isStopped = true
    for (const child of children) endGroup(child)
  }
  for (const signal of signals) process.once(signal, stop)
  const jest = (copy, suites, timeoutMs) => runJest({ copy, suites, timeoutMs, env, children })
  const baselines = new Map()
  /** How long a suite takes without a mutant; undefined where it does not pass even so, and thus could kill nothing. */
  const measure = async (copy, suite) => {
    let last
    for (let attempt = 0; attempt < baselineAttempts && !isStopped; attempt++) {
      last = await jest(copy, [suite], baselineTimeoutMs)
      if (last.outcome === 'survived') return last.ms
    }
    if (!isStopped) console.log(`left out, since it fails without a mutant: ${last.by ?? `${suite}: ${last.outcome}`}`)
    return undefined
  }
  const baseline = (copy, suite) => {
    if (!baselines.has(suite)) baselines.set(suite, measure(copy, suite))
    return baselines.get(suite)
  }
  const runSuites = async (copy, mutant) => {
    const content = readContent(copy, mutant.file)
    let last = { outcome: 'survived', ms: 0 }
    for (const wanted of [mutant.fast, mutant.slow]) {
      const measured = []
      for (const suite of wanted) measured.push({ suite, ms: await baseline(copy, suite) })
      if (isStopped) return undefined
      const passing = measured.filter(({ ms }) => ms !== undefined)
      if (passing.length === 0) continue
      const suites = passing.map(({ suite }) => suite)
      const timeoutMs = patience.factor * passing.reduce((sum, { ms }) => sum + ms, 0) + patience.extraMs
      put(copy, mutant.file, withMutant(content, mutant))
      last = await jest(copy, suites, timeoutMs).finally(() => put(copy, mutant.file, content))
      if (last.outcome !== 'survived') break
    }
    return last
  }
  const queue = [...mutants]
  const work = async (index) => {
    const copy = copyRepository(root, join(directory, String(index)))
    for (let mutant = queue.shift(); mutant !== undefined && !isStopped; mutant = queue.shift()) {
      const result = await runSuites(copy, mutant)
      // A stopped run has no result.
      if (!isStopped) record({ ...mutant, ...result })
    }
  }
  try {
    await Promise.all(Array.from({ length: parallel }, (_, index) => work(index)))
  } finally {
    process.off('exit', clean)
    for (const signal of signals) process.off(signal, stop)
    clean()
  }
}

function runJest({ copy, suites, timeoutMs, env, children }) {
  const node = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning']
  const jest = [join(copy, 'node_modules', 'jest', 'bin', 'jest.js'), '-i', '--bail', '--silent', '--forceExit']
  const args = [...node, ...jest, '--runTestsByPath', ...suites]
  const from = Date.now()
  // A group of its own, so that what a test has spawned ends with it.
  const child = spawn(process.execPath, args, { cwd: copy, env, stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  children.add(child)
  let said = ''
  child.stderr.on('data', (chunk) => {
    said = (said + chunk).slice(0, outputMax)
  })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    endGroup(child)
  }, timeoutMs)
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      clearTimeout(timer)
      endGroup(child)
      children.delete(child)
      const outcome = isLate ? 'timed out' : code === 0 ? 'survived' : 'killed'
      resolve({ outcome, by: outcome === 'killed' ? failureIn(said) : undefined, ms: Date.now() - from })
    })
  })
}

function endGroup(child) {
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Nothing of it is left.
  }
}

/** The first test that failed, or why a suite did not run. With `--bail` jest ends before it would write its JSON. */
function failureIn(said) {
  const suite = /^FAIL (\S+)/m.exec(said)?.[1] ?? 'jest'
  const failure = /^ {2}● (.*)$/m.exec(said)?.[1] ?? 'ended'
  return `${suite}: ${failure}`
}

/** Results of earlier runs and of this one, one line of JSON each; of two about the same mutant the later counts. */
export function resultsIn(file) {
  mkdirSync(dirname(file), { recursive: true })
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  const known = new Map()
  for (const line of lines) {
    if (line === '' || !line.endsWith('}')) continue
    const result = JSON.parse(line)
    known.set(result.id, result)
  }
  return {
    known,
    add(result) {
      known.set(result.id, result)
      appendFileSync(file, `${JSON.stringify(result)}\n`)
    },
  }
}

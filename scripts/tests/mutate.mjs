/**
 * npm run mutate -- [--only GLOB] [--max N] [--seed N] [--parallel N] [--again] [--list]: changes one thing at a time
 * in the code of the workspace and runs its tests. docs/mutations.md explains the results. Not part of npm test.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join, matchesGlob } from 'node:path'
import { parseArgs } from 'node:util'
import { bootstrap, root, run } from '../bootstrap.mjs'

const usage = `Usage: npm run mutate -- [options]
  --only GLOB     only files that match, for example 'gateway/src/**/*.ts'
  --max N         at most N mutants, chosen by the seed
  --seed N        another choice (default 1)
  --parallel N    mutants at a time, 1 to 8 (default 2)
  --again         run those again that survived or timed out before
  --list          print the mutants and run nothing`

const options = {
  only: { type: 'string' },
  max: { type: 'string', default: '100000' },
  seed: { type: 'string', default: '1' },
  parallel: { type: 'string', default: '2' },
  again: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
}

await run(async () => {
  const chosen = readOptions()
  if (chosen === undefined) {
    console.error(usage)
    return 2
  }
  await bootstrap()
  const mutants = await select(chosen)
  if (chosen.list) {
    for (const mutant of mutants) console.log(shown(mutant))
    return 0
  }
  setPriority(10)
  const { onTestServers } = await import('../../packages/devkit/dist/tests/test-run.js')
  return onTestServers('npm run mutate', (servers) => mutate(mutants, chosen, servers))
})

function readOptions() {
  try {
    const { values } = parseArgs({ options })
    const [max, seed, parallel] = [values.max, values.seed, values.parallel].map(Number)
    if (![max, seed, parallel].every((one) => Number.isSafeInteger(one) && one >= 1) || parallel > 8) return undefined
    return { ...values, max, seed, parallel }
  } catch {
    return undefined // an option there is none of
  }
}

/** Every mutant of the requested files, in an order that follows from the seed, at most `max`. */
async function select({ only, max, seed }) {
  const { listMutants } = await import('./mutation/mutants.mjs')
  const { codeFiles, nearestTests } = await import('./mutation/nearest.mjs')
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  const files = listed.toString().split('\n')
  const there = files.filter((file) => file !== '' && existsSync(join(root, file)))
  const wanted = codeFiles(root, there).filter((file) => only === undefined || matchesGlob(file, only))
  const nearestTo = nearestTests(root, there)
  const mutants = wanted.flatMap((file) => {
    const tests = nearestTo(file)
    if (tests.fast.length === 0) return []
    return listMutants(readFileSync(join(root, file), 'utf8')).map((mutant) => ({ file, ...mutant, ...tests }))
  })
  const place = ({ id }) => createHash('sha256').update(`${seed} ${id}`).digest('hex')
  const placed = mutants.map((mutant) => ({ ...mutant, place: place(mutant) }))
  return placed.sort((one, other) => (one.place < other.place ? -1 : 1)).slice(0, max)
}

async function mutate(mutants, { again, parallel }, servers) {
  const { resultsIn, runMutants } = await import('./mutation/run.mjs')
  const results = resultsIn(join(root, '.data', 'mutants.jsonl'))
  const isKnown = ({ id }) => results.known.has(id) && (!again || results.known.get(id).outcome === 'killed')
  const left = mutants.filter((mutant) => !isKnown(mutant))
  console.log(`${mutants.length} mutants, ${mutants.length - left.length} of them known from earlier runs`)
  let count = 0
  const record = (tested) => {
    const result = { ...tested, fast: undefined, slow: undefined, place: undefined }
    results.add(result)
    count += 1
    if (result.outcome !== 'killed') console.log(`${result.outcome}  ${shown(result)}`)
    if (count % 25 === 0) console.log(`${count} of ${left.length}`)
  }
  const { databaseUrl, amqpUrl } = servers
  const env = { ...process.env, TEST_DATABASE_URL: databaseUrl, TEST_AMQP_URL: amqpUrl }
  await runMutants(left, { root, parallel, record, env })
  report(mutants.map(({ id }) => results.known.get(id)).filter((result) => result !== undefined))
  return 0
}

function report(results) {
  const rows = Object.entries(Object.groupBy(results, ({ file }) => file))
  const line = (name, some) => {
    const count = (outcome) => some.filter((result) => result.outcome === outcome).length
    const score = ((100 * (some.length - count('survived'))) / some.length).toFixed(0)
    const cells = [count('killed'), count('survived'), count('timed out'), `${score} %`]
    console.log(`${name.padEnd(56)}${cells.map((cell) => String(cell).padStart(10)).join('')}`)
  }
  console.log(`\n${''.padEnd(56)}    killed  survived timed out     score`)
  for (const [file, some] of rows.sort(([a], [b]) => (a < b ? -1 : 1))) line(file, some)
  if (results.length > 0) line('all', results)
  console.log('\nEach result, with the test that noticed, is in .data/mutants.jsonl.')
}

function shown({ file, line, operator, was, replacement }) {
  const short = (text) => text.replaceAll(/\s+/g, ' ').slice(0, 80)
  return `${file}:${line}  ${operator}: ${short(was)} → ${short(replacement)}`
}

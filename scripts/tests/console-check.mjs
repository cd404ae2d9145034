/**
 * npm run console:check: prints each bar of the console (docs/console.md) with its figure. The figures come from the
 * tests, which also run by keyboard alone and in a narrow window, from npm run bench console, and from two builds.
 * Takes about 25 minutes, on a machine without other work.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bootstrap, buildConsole, root, run } from '../bootstrap.mjs'

const tests = ['packages/console', 'test/console']
/** Journeys that run again with other input (test/console/input.ts). */
const journeys = [
  ...['keys', 'users', 'roles', 'webhooks', 'trouble', 'two-tabs', 'dead-letters', 'payments', 'invitations'],
  ...['units', 'messages', 'audit', 'events', 'auth-infos'],
].map((name) => `test/console/${name}`)

/** Bars that tests check: the file, and the titles of its tests. */
const barsOfTests = [
  { bar: 1, what: 'size and requests of each page', file: /console\/test\/bundle/ },
  { bar: 3, what: 'axe, each page and state, light and dark', file: /test\/console\/pages/ },
  { bar: 5, what: 'widths from 360 to 1 440 px', file: /test\/console\/pages/ },
  {
    bar: 6,
    what: 'no request elsewhere, no violation, no error',
    file: /test\/console\//,
    title: /no request was refused/,
  },
  { bar: 7, what: 'texts of others run nothing', file: /test\/console\/foreign/ },
]

const firstBuildMsMax = 6_000
const secondBuildMsMax = 1_000

await run(async () => {
  await bootstrap()
  const results = await runTests(tests)
  const byKeyboard = await runTests(journeys, { CONSOLE_INPUT: 'keyboard' })
  const narrow = await runTests(journeys, { CONSOLE_WIDTH: '360' })
  const measured = await figuresOfBench()
  const figures = [
    ...barsOfTests.map((bar) => buildFigure(bar, results)),
    buildFigure({ bar: 4, what: 'journeys by keyboard alone', file: /test\/console\// }, byKeyboard),
    buildFigure({ bar: 4, what: 'journeys at 360 px', file: /test\/console\// }, narrow),
    ...measured,
    ...(await buildTimes()),
  ]
  console.log('')
  for (const { bar, what, value, limit, isMet } of figures.sort((left, right) => left.bar - right.bar)) {
    console.log(`${isMet ? '✓' : '✗'} ${String(bar).padStart(2)}  ${what}: ${value} (${limit})`)
  }
  return figures.every(({ isMet }) => isMet) ? 0 : 1
})

async function runTests(paths, variables = {}) {
  const file = join(root, '.data', 'console-results.json')
  rmSync(file, { force: true })
  await runScript(['test.mjs', ...paths], { ...variables, TEST_RESULTS: file })
  return JSON.parse(readFileSync(file, 'utf8')).testResults
}

/** A bench that fails before its end has no figures. */
async function figuresOfBench() {
  const file = join(root, '.data', 'console-figures.json')
  rmSync(file, { force: true })
  await runScript(['bench.mjs', 'console'])
  if (!existsSync(file)) throw new Error('npm run bench console ended without figures')
  return JSON.parse(readFileSync(file, 'utf8'))
}

function buildFigure({ bar, what, file, title = /./ }, results) {
  const files = results.filter(({ name }) => file.test(name))
  const all = files.flatMap(({ assertionResults }) => assertionResults).filter(({ fullName }) => title.test(fullName))
  const passed = all.filter(({ status }) => status === 'passed').length
  // A file that could not be loaded has no tests.
  const unloaded = files.filter(({ assertionResults }) => assertionResults.length === 0).length
  return {
    bar,
    what,
    value: `${passed} of ${all.length} tests${unloaded === 0 ? '' : `, ${unloaded} files without any`}`,
    limit: 'all',
    isMet: all.length > 0 && passed === all.length && unloaded === 0,
  }
}

/** The share of npm start: with changed sources, and without a change. */
async function buildTimes() {
  rmSync(join(root, 'packages', 'console', 'dist'), { recursive: true, force: true })
  const first = await timed(() => buildConsole())
  const second = await timed(() => buildConsole())
  return [
    {
      bar: 11,
      what: 'build at the first npm start',
      value: `${first} ms`,
      limit: `≤ ${firstBuildMsMax} ms`,
      isMet: first <= firstBuildMsMax,
    },
    {
      bar: 11,
      what: 'build at the second npm start',
      value: `${second} ms`,
      limit: `≤ ${secondBuildMsMax} ms`,
      isMet: second <= secondBuildMsMax,
    },
  ]
}

async function timed(work) {
  const from = performance.now()
  await work()
  return Math.round(performance.now() - from)
}

function runScript([name, ...args], variables = {}) {
  const env = { ...process.env, ...variables }
  const child = spawn(process.execPath, [join(root, 'scripts', 'tests', name), ...args], {
    cwd: root,
    stdio: 'inherit',
    env,
  })
  return new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve))
}

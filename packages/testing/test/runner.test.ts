/** @slow It starts jest some twenty times. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { shuffle } from '../src/runner/shuffle.ts'
import { jestIn, project, type Run, readOutputLines, removeProjects, say } from './jest-project.ts'

afterAll(removeProjects)

describe('one worker', () => {
  let directory: string
  let run: Run
  const readStatuses = (file: string) =>
    Object.fromEntries((run.files.get(file)?.assertionResults ?? []).map(({ fullName, status }) => [fullName, status]))

  beforeAll(async () => {
    directory = project(
      Object.fromEntries(Object.entries(filesOfOneWorker).map(([name, text]) => [`test/${name}.test.ts`, text])),
    )
    writeFileSync(
      join(directory, 'shared.ts'),
      `${say}say('loaded shared.ts')\nlet count = 0\nexport const sum = () => {\n  say(\`sum \${++count}\`)\n  return count\n}\n`,
    )
    run = await jestIn(directory, '-i', '--testTimeout', '2000', `--seed=${seedWithPairsInOrder()}`)
  })

  test('loads a module once for all test files', () => {
    expect(readOutputLines(directory).filter((line) => line === 'loaded shared.ts')).toHaveLength(1)
    expect(readOutputLines(directory).filter((line) => line.startsWith('sum'))).toEqual(['sum 1', 'sum 2'])
  })

  test('runs hooks only for the tests of their file, in order', () => {
    expect(readOutputLines(directory).filter((line) => line.startsWith('hook'))).toEqual([
      'hook beforeAll',
      'hook beforeEach',
      'hook afterEach',
      'hook beforeEach',
      'hook afterEach',
      'hook afterAll',
    ])
    expect(readStatuses('hooks.test.ts')).toEqual({ 'row 1': 'passed', 'row 2': 'passed' })
  })

  test('fails a test without an assertion', () => {
    expect(readStatuses('no-assertion.test.ts')).toEqual({ 'asserts nothing': 'failed', asserts: 'passed' })
    expect(run.files.get('no-assertion.test.ts')?.message).toContain('expect.hasAssertions()')
  })

  test('names file and line of a failure', () => {
    expect(run.files.get('failing.test.ts')?.message).toMatch(/test\/failing\.test\.ts:4:31\b/)
    expect(readStatuses('failing.test.ts')).toEqual({ fails: 'failed' })
  })

  test.each([
    ['throws.test.ts', 'thrown while loading'],
    ['syntax.test.ts', 'SyntaxError'],
    ['missing.test.ts', 'Cannot find module'],
  ])('counts %s, which does not load, as failed', (file, message) => {
    expect(run.files.get(file)).toMatchObject({ status: 'failed', assertionResults: [] })
    expect(run.files.get(file)?.message).toContain(message)
  })

  test('fails the test and the file that a rejection is from', () => {
    expect(readStatuses('rejection.test.ts')).toEqual({ 'rejects aside': 'failed', 'is another test': 'passed' })
    expect(run.files.get('rejection-after-all.test.ts')?.message).toContain('rejected after the tests')
    expect(run.files.get('rejection-after-all.test.ts')).toMatchObject({ status: 'failed' })
  })

  test('fails the file of an exception that nothing catches', () => {
    expect(readStatuses('exception.test.ts')).toEqual({ 'throws aside': 'failed' })
  })

  test('fails a test at its time-out, and keeps the time-out that a file sets to the file', () => {
    expect(readStatuses('time-out.test.ts')).toEqual({ 'waits for ever': 'failed' })
    expect(run.files.get('time-out.test.ts')?.message).toContain('Exceeded timeout of 50 ms')
    expect(readStatuses('z-after-time-out.test.ts')).toEqual({ 'takes 200 ms': 'passed' })
  })

  test('puts spies, the clock, the console and the environment back after each file', () => {
    expect(readStatuses('leaves-changes.test.ts')).toEqual({ 'changes globals': 'passed' })
    expect(readStatuses('z-finds-no-changes.test.ts')).toEqual({ 'finds the globals': 'passed' })
  })

  test('ends in spite of open handles', () => {
    expect(readStatuses('open-handles.test.ts')).toEqual({ 'leaves a server and a timer': 'passed' })
  })

  test('exits with 1, and counts the tests and the files', () => {
    expect(run.code).toBe(1)
    expect(run).toMatchObject({ numPassedTests: 11, numFailedTests: 5, numRuntimeErrorTestSuites: 4 })
  })
})

const filesOfOneWorker: Readonly<Record<string, string>> = {
  'module-a': "GLOBALS\nimport { sum } from '../shared.ts'\ntest('adds one', () => expect(sum()).toBeGreaterThan(0))",
  'module-b': "GLOBALS\nimport { sum } from '../shared.ts'\ntest('adds one', () => expect(sum()).toBeGreaterThan(0))",
  hooks: `GLOBALS
${say}for (const hook of [beforeAll, beforeEach, afterEach, afterAll]) hook(() => say(\`hook \${hook.name}\`))
test.each([1, 2])('row %i', (row) => expect(row).toBeGreaterThan(0))`,
  'no-assertion': "GLOBALS\ntest('asserts nothing', () => {})\ntest('asserts', () => expect(1).toBe(1))",
  failing: "GLOBALS\ninterface Gone {\n  readonly from: string }\ntest('fails', () => expect(1).toBe(2))",
  throws: "GLOBALS\ntest('is not reached', () => expect(1).toBe(1))\nthrow new Error('thrown while loading')",
  syntax: "GLOBALS\ntest('is not reached', () => {",
  missing: "import './nowhere.ts'",
  rejection: `GLOBALS
test('rejects aside', async () => {
  void Promise.reject(new Error('aside'))
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(1).toBe(1)
})
test('is another test', () => expect(1).toBe(1))`,
  'rejection-after-all': `GLOBALS
afterAll(() => void Promise.reject(new Error('rejected after the tests')))
test('passes', () => expect(1).toBe(1))`,
  exception: `GLOBALS
test('throws aside', async () => {
  setTimeout(() => { throw new Error('aside') }, 5)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(1).toBe(1)
})`,
  'time-out': "GLOBALS\njest.setTimeout(50)\ntest('waits for ever', () => new Promise(() => {}))",
  'z-after-time-out': `GLOBALS
test('takes 200 ms', async () => {
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(1).toBe(1)
})`,
  'leaves-changes': `GLOBALS
test('changes globals', () => {
  jest.spyOn(process.stdout, 'write').mockReturnValue(true)
  jest.spyOn(console, 'log').mockReturnValue()
  jest.useFakeTimers({ now: 0 })
  process.env['LEFT'] = 'behind'
  process.env['PATH'] = ''
  expect(Date.now()).toBe(0)
})`,
  'z-finds-no-changes': `GLOBALS
test('finds the globals', () => {
  expect(jest.isMockFunction).toBeUndefined()
  expect('mock' in process.stdout.write || 'mock' in console.log).toBe(false)
  expect(Date.now()).toBeGreaterThan(1)
  expect(process.env['LEFT']).toBeUndefined()
  expect(process.env['PATH']).not.toBe('')
})`,
  'open-handles': `GLOBALS
import { createServer } from 'node:http'
test('leaves a server and a timer', () => {
  setInterval(() => {}, 10)
  expect(createServer().listen(0).listening).toBe(true)
})`,
}

/** A seed with which the file `z-<name>`, which looks at what the file `<name>` left, runs after that file. */
function seedWithPairsInOrder(): number {
  const pairs = [
    ['time-out', 'z-after-time-out'],
    ['leaves-changes', 'z-finds-no-changes'],
  ] as const
  const isInOrder = (seed: number) => {
    const order = shuffle(Object.keys(filesOfOneWorker), (name) => `test/${name}.test.ts`, seed)
    return pairs.every(([first, second]) => order.indexOf(first) < order.indexOf(second))
  }
  return Array.from({ length: 1000 }, (_, seed) => seed).find(isInOrder) ?? 0
}

describe('flags of jest', () => {
  const files = {
    'test/a.test.ts': "GLOBALS\ntest('quota of a', () => expect(1).toBe(1))\ntest('other', () => expect(1).toBe(2))",
    'test/b.test.ts': "GLOBALS\ntest('quota of b', () => expect(1).toBe(1))",
  }

  test('-t runs the tests whose titles match', async () => {
    const { code, numPassedTests, numFailedTests } = await jestIn(project(files), '-t', 'quota')
    expect({ code, numPassedTests, numFailedTests }).toEqual({ code: 0, numPassedTests: 2, numFailedTests: 0 })
  })

  test('--bail ends after the first failed file', async () => {
    const directory = project({ ...files, 'test/b.test.ts': `GLOBALS\n${say}say('b ran')` })
    await expect(jestIn(directory, '--bail', '-i', '--runTestsByPath', 'test/a.test.ts')).rejects.toThrow('● other')
    expect(existsSync(join(directory, 'said.txt'))).toBe(false)
  })

  test('--coverage counts the lines of source files', async () => {
    const directory = project({
      'src/sign.ts':
        'export function sign(n: number): string {\n  if (n < 0) {\n    return "-"\n  }\n  return "+"\n}\n',
      'test/sign.test.ts':
        "GLOBALS\nimport { sign } from '../src/sign.ts'\ntest('positive', () => expect(sign(1)).toBe('+'))",
    })
    const { output } = await jestIn(directory, '--coverage', '--coverageReporters=text')
    expect(output).toMatch(/sign\.ts .*\| 3-4/)
  })

  test('the report names the files by their CPU time', async () => {
    const directory = project({
      'test/idle.test.ts': "GLOBALS\ntest('idles', () => expect(1).toBe(1))",
      'test/busy.test.ts': `GLOBALS
import { execFileSync } from 'node:child_process'
test('burns in a child process', () => {
  const burn = 'const cpu = () => Object.values(process.cpuUsage()).reduce((a, b) => a + b); while (cpu() < 700_000);'
  expect(execFileSync(process.execPath, ['-e', burn]).toString()).toBe('')
})`,
    })
    const { output } = await jestIn(directory)
    const lines = readFileSync(join(directory, '.data', 'test', 'cpu.txt'), 'utf8')
      .trimEnd()
      .split('\n')
    expect(lines).toEqual([
      expect.stringMatching(/^ +[0-9]+\.[0-9] s {2}test\/busy\.test\.ts$/),
      expect.stringMatching(/^ +0\.[0-9] s {2}test\/idle\.test\.ts$/),
    ])
    expect(Number.parseFloat(lines[0] ?? '')).toBeGreaterThan(0.5)
    expect(output).toContain(lines[0])
  })
})

describe('the order of the files', () => {
  const says = (name: string) => `GLOBALS\n${say}test('says its name', () => { say('${name}'); expect(1).toBe(1) })`
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const files = Object.fromEntries(names.map((name) => [`test/${name}.test.ts`, says(name)]))
  const orderWith = async (seed: number) => {
    const directory = project(files)
    await jestIn(directory, '-i', `--seed=${seed}`)
    return readOutputLines(directory)
  }

  test('is another one with another seed, and the same one with the same seed', async () => {
    const [first, again, other] = [await orderWith(1), await orderWith(1), await orderWith(2)]
    expect(again).toEqual(first)
    expect(other).not.toEqual(first)
    expect(other.toSorted()).toEqual(names)
  })
})

describe('workers', () => {
  const saysPid = `GLOBALS\n${say}test('says its pid', () => { say(process.pid); expect(1).toBe(1) })`

  test('a file with @own-process has a worker to itself', async () => {
    const directory = project({
      'test/alone.test.ts': `/** @own-process changes an intrinsic */\nGLOBALS\n${say}
test('changes', () => { Array.prototype.at = () => 'changed'; say(\`alone \${process.pid}\`); expect([].at(0)).toBe('changed') })`,
      'test/other.test.ts': `GLOBALS\n${say}
test('finds it unchanged', () => { say(\`other \${process.pid}\`); expect([1].at(0)).toBe(1) })`,
    })
    expect(await jestIn(directory, '-i')).toMatchObject({ code: 0, numPassedTests: 2 })
    expect(new Set(readOutputLines(directory).map((line) => line.split(' ')[1])).size).toBe(2)
  })

  test('a marker without a reason fails the run', async () => {
    const directory = project({ 'test/a.test.ts': `/** @own-process */\n${saysPid}` })
    await expect(jestIn(directory)).rejects.toThrow('@own-process needs a reason')
  })

  test('a worker above the memory limit is replaced between two files', async () => {
    const files = { 'test/a.test.ts': saysPid, 'test/b.test.ts': saysPid, 'test/c.test.ts': saysPid }
    const above = project(files)
    await jestIn(above, '-i', '--workerIdleMemoryLimit=1MB')
    expect(new Set(readOutputLines(above)).size).toBeGreaterThan(1)
    const below = project(files)
    await jestIn(below, '-i', '--workerIdleMemoryLimit=2GB')
    expect(new Set(readOutputLines(below)).size).toBe(1)
  })

  test('a file that ends its worker fails, and the others run', async () => {
    const run = await jestIn(
      project({
        'test/a.test.ts': "GLOBALS\ntest('exits', () => { process.kill(process.pid, 'SIGKILL') })",
        'test/b.test.ts': saysPid,
      }),
    )
    expect(run).toMatchObject({ code: 1, numPassedTests: 1, numRuntimeErrorTestSuites: 1 })
  })
})

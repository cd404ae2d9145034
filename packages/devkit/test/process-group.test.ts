import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { root } from '@payments/devkit/machine/profile'
import { endRecorded, type ProcessGroup, processGroup, runToEnd, until } from '@payments/devkit/processes/process-group'
import { readStartTime } from '@payments/devkit/processes/process-table'

const idle = 'setInterval(() => {}, 1000); console.log("up")'
const stubborn = `process.on('SIGTERM', () => {}); ${idle}`

let directory: string
let group: ProcessGroup

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'processes-'))
  group = processGroup(join(directory, 'processes.json'))
})

afterEach(async () => {
  await group.close()
  rmSync(directory, { recursive: true })
})

function launch(script: string, stopTimeoutMs = 5_000) {
  return group.launch({
    name: 'child',
    command: process.execPath,
    args: ['-e', script],
    env: { PATH: process.env['PATH'] },
    logFile: join(directory, 'child.log'),
    stopTimeoutMs,
  })
}

async function isUp(): Promise<void> {
  const log = join(directory, 'child.log')
  expect(await until(() => readFileSync(log, 'utf8').includes('up'), 5_000)).toBe(true)
}

describe('a child', () => {
  it('stops after its signal', async () => {
    const child = launch(idle)
    await isUp()
    await child.stop()
    expect(await child.exited).toEqual({ code: null, signal: 'SIGTERM' })
  })

  it('is killed when it does not stop within its bound', async () => {
    const child = launch(stubborn, 100)
    await isUp()
    await child.stop()
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' })
  })

  it('ends with its process group, which starts nothing afterwards', async () => {
    const child = launch(idle)
    await group.close()
    expect(child.hasExited()).toBe(true)
    expect(() => launch(idle)).toThrow('Stopping')
  })

  it('is recorded while it runs, and only then', async () => {
    const recorded = () => JSON.parse(readFileSync(join(directory, 'processes.json'), 'utf8')) as Array<{ pid: number }>
    const child = launch(idle)
    expect(recorded().map(({ pid }) => pid)).toEqual([child.pid])
    await child.stop()
    expect(recorded()).toEqual([])
  })
})

/** The script of a leader with a worker in its group. Its log has the pid of the worker. */
const leaderProgram = (worker: string) => `
  const { spawn } = require('node:child_process')
  const worker = spawn(process.execPath, ['-e', ${JSON.stringify(worker)}], { stdio: ['ignore', 'pipe', 'ignore'] })
  worker.stdout.once('data', () => console.log('worker ' + worker.pid))
  setInterval(() => {}, 1000)`

async function workerPid(): Promise<number> {
  const find = () => /^worker (\d+)$/m.exec(readOrEmpty(join(directory, 'child.log')))?.[1]
  expect(await until(() => find() !== undefined, 20_000)).toBe(true)
  return Number(find())
}

describe('a leader that ends by itself', () => {
  it('leaves nothing of its group running', async () => {
    const leader = launch(leaderProgram(idle))
    const worker = await workerPid()
    leader.kill('SIGKILL')
    expect(await until(() => readStartTime(worker) === undefined, 20_000)).toBe(true)
  })

  it('leaves nothing behind that ignores the signal, once the process group has closed', async () => {
    const leader = launch(leaderProgram(stubborn), 500)
    const worker = await workerPid()
    leader.kill('SIGKILL')
    await leader.exited
    await group.close()
    // The kernel ends it and init reaps it a moment later.
    expect(await until(() => readStartTime(worker) === undefined, 30_000)).toBe(true)
  })
})

/** Runs a starter: a module in which `group` is a process group, and `launch` launches a leader in it. */
function startStarter(work: string): ChildProcess {
  const compiled = pathToFileURL(join(root, 'packages', 'devkit', 'dist', 'processes', 'process-group.js')).href
  const options = {
    ...{ name: 'child', command: process.execPath, args: ['-e', leaderProgram(stubborn)], env: {} },
    ...{ logFile: join(directory, 'child.log'), stopTimeoutMs: 500 },
  }
  const starter = `
    import { processGroup, runToEnd } from '${compiled}'
    const group = processGroup()
    const launch = () => group.launch(${JSON.stringify(options)})
    ${work}
    setInterval(() => {}, 1000)`
  return spawn(process.execPath, ['--input-type=module', '-e', starter], { stdio: ['ignore', 'pipe', 'inherit'] })
}

describe('a starter that is killed with -9', () => {
  it('leaves no child behind, nor what the child started', async () => {
    const starter = startStarter('launch()')
    const worker = await workerPid()
    starter.kill('SIGKILL')
    expect(await until(() => readStartTime(worker) === undefined, 20_000)).toBe(true)
  })

  it('leaves no worker behind whose leader has ended before', async () => {
    const starter = startStarter(`
      process.on('SIGUSR2', () => leader.kill('SIGKILL'))
      const leader = launch()
      void leader.exited.then(() => process.kill(process.pid, 'SIGKILL'))`)
    const worker = await workerPid()
    starter.kill('SIGUSR2')
    expect(await until(() => readStartTime(worker) === undefined, 20_000)).toBe(true)
  })
})

describe('a starter that exits', () => {
  it('ends the programs that it runs to their end', async () => {
    const starter = startStarter(`
      process.on('SIGUSR2', () => process.exit(1))
      void runToEnd('sh', ['-c', 'echo $$ > ${join(directory, 'pid')}; exec sleep 600'], { timeoutMs: 600_000 })`)
    const pid = () => Number(readOrEmpty(join(directory, 'pid')))
    expect(await until(() => pid() > 0, 20_000)).toBe(true)
    const program = pid()
    starter.kill('SIGUSR2')
    expect(await until(() => readStartTime(program) === undefined, 20_000)).toBe(true)
  })
})

describe('what an earlier start recorded', () => {
  const records = () => join(directory, 'left.json')

  it('is ended', async () => {
    const child = launch(idle)
    await isUp()
    const entry = { name: 'child', pid: child.pid, startedAt: readStartTime(child.pid), signal: 'SIGTERM' }
    writeFileSync(records(), JSON.stringify([entry]))
    expect(await endRecorded(records())).toEqual(['child'])
    expect(await child.exited).toEqual({ code: null, signal: 'SIGTERM' })
  })

  it('is left alone when its pid meanwhile belongs to another process', async () => {
    const child = launch(idle)
    const entry = { name: 'child', pid: child.pid, startedAt: 'long ago', signal: 'SIGTERM' }
    writeFileSync(records(), JSON.stringify([entry]))
    expect(await endRecorded(records())).toEqual([])
    expect(child.hasExited()).toBe(false)
  })
})

describe('runToEnd', () => {
  it('returns the output of a program, both streams together and the first alone', async () => {
    const { code, stdout, output } = await runToEnd('sh', ['-c', 'echo out; echo err >&2; exit 3'], {
      timeoutMs: 5_000,
    })
    expect({ code, stdout }).toEqual({ code: 3, stdout: 'out\n' })
    expect(output).toContain('err')
  })

  it('ends a program after its time-out', async () => {
    expect((await runToEnd('sleep', ['60'], { timeoutMs: 50 })).code).toBeNull()
  })

  it('returns a result for a program that does not exist', async () => {
    expect((await runToEnd('no-such-program', [], { timeoutMs: 5_000 })).code).toBeNull()
  })
})

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // not written yet
  }
}

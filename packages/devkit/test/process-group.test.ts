import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { root } from '@payments/devkit/machine/profile'
import { endRecorded, type ProcessGroup, processGroup, runToEnd, until } from '@payments/devkit/processes/process-group'
import { startTimeOf } from '@payments/devkit/processes/process-table'

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

describe('a starter that is killed with -9', () => {
  it('leaves no child behind', async () => {
    const pidFile = join(directory, 'pid')
    const compiled = pathToFileURL(join(root, 'packages', 'devkit', 'dist', 'processes', 'process-group.js')).href
    const starter = `
      import { writeFileSync } from 'node:fs'
      import { processGroup } from '${compiled}'
      const child = processGroup().launch({ name: 'child', command: process.execPath, args: ['-e', ${JSON.stringify(idle)}], env: {}, logFile: '${join(directory, 'orphan.log')}' })
      writeFileSync('${pidFile}', String(child.pid))
      setInterval(() => {}, 1000)
    `
    const process_ = spawn(process.execPath, ['--input-type=module', '-e', starter], { stdio: 'ignore' })
    const readPid = () => Number(readOrEmpty(pidFile))
    expect(await until(() => readPid() > 0, 10_000)).toBe(true)
    const pid = readPid()
    expect(startTimeOf(pid)).toBeDefined()
    process_.kill('SIGKILL')
    expect(await until(() => startTimeOf(pid) === undefined, 10_000)).toBe(true)
  })
})

describe('what an earlier start recorded', () => {
  const records = () => join(directory, 'left.json')

  it('is ended', async () => {
    const child = launch(idle)
    await isUp()
    const entry = { name: 'child', pid: child.pid, startedAt: startTimeOf(child.pid), signal: 'SIGTERM' }
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

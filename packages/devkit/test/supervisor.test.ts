import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { UserError } from '@payments/devkit/machine/user-error'
import { type ProcessGroup, processGroup, until } from '@payments/devkit/processes/process-group'
import { type Supervisor, startAfterCrash, supervisor } from '@payments/devkit/processes/supervisor'

let directory: string
let group: ProcessGroup
let lines: string[]
let supervised: Supervisor

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'supervisor-'))
  group = processGroup()
  lines = []
  supervised = supervisor(group, (line) => lines.push(line))
})

afterEach(async () => {
  await group.close()
  rmSync(directory, { recursive: true })
})

const idle = 'setInterval(() => {}, 1000)'

function launch(script = idle) {
  return group.launch({
    name: 'child',
    command: process.execPath,
    args: ['-e', script],
    env: { PATH: process.env['PATH'] },
    logFile: join(directory, 'child.log'),
  })
}

it('starts a killed process again, with one line', async () => {
  const first = launch()
  let next = first
  supervised.keep(first, async () => {
    next = launch()
    return next
  })
  first.kill('SIGKILL')
  expect(await until(() => next !== first, 20_000)).toBe(true)
  expect(next.hasExited()).toBe(false)
  expect(lines).toEqual([
    expect.stringMatching(/^\S+Z child ended by itself \(SIGKILL\) and is started again\. Its log: /),
  ])
})

it('ends at the third end within a minute of running, with the end of the log', async () => {
  const again = async () => launch('console.log("no luck"); process.exit(3)')
  supervised.keep(await again(), again)
  await expect(supervised.failed).rejects.toThrow(
    /^child ended by itself \(exit code 3\), the 3rd time within a minute\. The end of .*child\.log:\n(no luck\n)*no luck$/,
  )
  expect(lines).toHaveLength(2)
})

it('counts a start that fails as an end', async () => {
  const first = launch()
  supervised.keep(first, () => Promise.reject(new UserError('its port is in use\nmore')))
  first.kill('SIGKILL')
  await expect(supervised.failed).rejects.toThrow(/^child could not be started \(its port is in use\), the 3rd time/)
})

it('starts nothing while the group closes', async () => {
  const first = launch()
  let starts = 0
  supervised.keep(first, async () => {
    starts += 1
    return launch()
  })
  await group.close()
  await first.exited
  expect([starts, lines]).toEqual([0, []])
})

it('tries a server again whose port is not free yet after a crash, and reports other errors at once', async () => {
  let attempts = 0
  const started = await startAfterCrash(async () => {
    attempts += 1
    if (attempts < 3) throw new UserError('in use')
    return 'started'
  })
  expect([started, attempts]).toEqual(['started', 3])
  await expect(startAfterCrash(() => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug')
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { asOwner, claim, Interrupted } from '@payments/devkit/ownership'
import type { Running } from '@payments/devkit/processes'
import type { Profile } from '@payments/devkit/profile'

let own: Profile

beforeEach(() => {
  const directory = mkdtempSync(join(tmpdir(), 'ownership-'))
  const port = { port: 1, variable: 'UNUSED' }
  own = { name: 'test', directory, serverData: directory, postgres: port, rabbitmq: port }
})

afterEach(() => rmSync(own.directory, { recursive: true }))

it('lets one owner in at a time and names the one that is there', () => {
  const release = claim(own, 'npm start')
  expect(() => claim(own, 'npm start')).toThrow(`npm start is already running in this folder (process ${process.pid})`)
  release()
  claim(own, 'npm start')()
})

it.each([
  ['of a process that is gone', JSON.stringify({ pid: 2 ** 22 + 1, startedAt: '1', command: 'npm start' })],
  [
    'of a pid that belongs to another process now',
    JSON.stringify({ pid: process.pid, startedAt: '1', command: 'npm start' }),
  ],
  ['half written', '{"pid":'],
])('takes over from an owner file %s', (_, content) => {
  writeFileSync(join(own.directory, 'owner.json'), content)
  expect(() => claim(own, 'npm start')()).not.toThrow()
})

it('ends what it launched when the work is done, when it throws, and when a signal comes', async () => {
  const children: Running[] = []
  const launching = (then: () => Promise<void>) =>
    asOwner(own, 'test', async (house) => {
      const logFile = join(own.directory, 'child.log')
      children.push(house.launch({ name: 'sleep', command: 'sleep', args: ['60'], env: process.env, logFile }))
      await then()
    })
  await launching(async () => {})
  await expect(launching(() => Promise.reject(new Error('mine')))).rejects.toThrow('mine')
  const interrupted = launching(() => {
    process.emit('SIGTERM', 'SIGTERM')
    return new Promise(() => {})
  })
  await expect(interrupted).rejects.toThrow(Interrupted)
  expect(children.map((child) => child.hasExited())).toEqual([true, true, true])
})

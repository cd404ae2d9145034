import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { freePorts } from '@payments/devkit/machine/ports'
import type { Profile } from '@payments/devkit/machine/profile'
import { withPorts } from '@payments/devkit/platform/start'
import { acquireProfile, asOwner, Interrupted } from '@payments/devkit/processes/ownership'
import type { Running } from '@payments/devkit/processes/process-group'

let own: Profile

beforeEach(() => {
  const directory = mkdtempSync(join(tmpdir(), 'ownership-'))
  const port = { port: 1, variable: 'UNUSED' }
  own = { name: 'test', directory, serverData: directory, isDurable: false, postgres: port, rabbitmq: port }
})

afterEach(() => rmSync(own.directory, { recursive: true }))

it('permits one owner at a time and names the current one', () => {
  const release = acquireProfile(own, 'npm start')
  expect(() => acquireProfile(own, 'npm start')).toThrow(
    `npm start is already running in this folder (process ${process.pid})`,
  )
  release()
  acquireProfile(own, 'npm start')()
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
  expect(() => acquireProfile(own, 'npm start')()).not.toThrow()
})

it('ends what it launched when the work is done, when it throws, and when a signal comes', async () => {
  const children: Running[] = []
  const launching = (then: () => Promise<void>) =>
    asOwner(own, 'test', async (group) => {
      const logFile = join(own.directory, 'child.log')
      children.push(group.launch({ name: 'sleep', command: 'sleep', args: ['60'], env: process.env, logFile }))
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

it('retains the logs of both previous runs when it cannot start', async () => {
  for (const run of ['logs', 'logs-previous']) {
    mkdirSync(join(own.directory, run))
    writeFileSync(join(own.directory, run, 'gateway.log'), run)
  }
  const logs = () =>
    ['logs', 'logs-previous'].map((run) => readFileSync(join(own.directory, run, 'gateway.log'), 'utf8'))
  const refused = () => Promise.reject(new Error('Port 8080 is in use'))
  await expect(asOwner(own, 'npm start', async () => 'started', refused)).rejects.toThrow('Port 8080 is in use')
  expect(logs()).toEqual(['logs', 'logs-previous'])
  expect(await asOwner(own, 'npm start', async () => 'started')).toBe('started')
  expect(readFileSync(join(own.directory, 'logs-previous', 'gateway.log'), 'utf8')).toBe('logs')
})

it('a start that finds ports in use fails for that of the gateway only, and for those that are named', async () => {
  const [gateway = 0, named = 0, other = 0] = await freePorts(3)
  const listening = await Promise.all(
    [gateway, named, other].map((port) => {
      const server = createServer()
      return new Promise<typeof server>((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)))
    }),
  )
  const servers = { DATABASE_URL: 'postgresql://h/d', AMQP_URL: 'amqp://h' }
  const receiver = { port: other, purpose: 'endpoints', variable: 'SAMPLE_RECEIVER_PORT' }
  const said = jest.spyOn(console, 'log').mockImplementation(() => {})
  try {
    const rejected = withPorts(own, { ...servers, PORT: `${gateway}`, AUDIT_PORT: `${named}` })
    await expect(rejected).rejects.toThrow(new RegExp(`Port ${named} is in use[^]*Port ${gateway} is in use`))
    const [port = 0] = await freePorts(1)
    const env = await withPorts(own, { ...servers, PORT: `${port}` }, [receiver])
    expect(env).toMatchObject({ PORT: `${port}`, SAMPLE_RECEIVER_PORT: expect.not.stringMatching(`^${other}$`) })
    expect(said).toHaveBeenCalledWith(expect.stringContaining(`Port ${other} is in use: port `))
  } finally {
    said.mockRestore()
    await Promise.all(listening.map((server) => new Promise((resolve) => server.close(resolve))))
  }
})

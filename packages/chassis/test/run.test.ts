import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, expect, test } from '@jest/globals'

interface Line {
  readonly msg: string
  readonly port?: number
}

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** A real process, and what it logs. */
async function startProcess(env: Readonly<Record<string, string>>) {
  const child = fork(join(import.meta.dirname, 'run-process.mjs'), {
    env: { ...env, PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  children.push(child)
  const lines: Line[] = []
  if (child.stdout) createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line)))
  let errors = ''
  child.stderr?.on('data', (chunk) => (errors += chunk))
  // With the end of its output, which follows the end of the process.
  return { child, lines, errors: () => errors, exited: once(child, 'close') }
}

async function until<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const deadlineAt = Date.now() + 20_000
  for (;;) {
    const value = await look()
    if (value !== undefined) return value
    if (Date.now() > deadlineAt) throw new Error('the condition was not met in time')
    await new Promise((done) => setTimeout(done, 20))
  }
}

test('on SIGTERM, readiness is 503, then the listener closes, then work ends, then the resources are closed', async () => {
  const { child, lines, exited } = await startProcess({ ENVIRONMENT: 'dev', PORT: '0', DRAIN_DELAY_MS: '4000' })
  const [health, port] = await until(() => {
    const ports = lines.filter(({ msg }) => msg === 'listening').map((line) => line.port)
    return ports.length === 2 ? ports : undefined
  })
  const at = (path: string, on = port) => fetch(`http://127.0.0.1:${on}${path}`)
  const fetchStatus = async () => (await (await at('/readyz', health)).json()) as { status: string }
  expect(await fetchStatus()).toMatchObject({ status: 'ready' })
  const slow = at('/slow')
  await once(child, 'message')
  child.kill('SIGTERM')

  await until(async () => ((await fetchStatus()).status === 'draining' ? true : undefined))
  const accepted = await at('/nowhere')
  expect([accepted.status, accepted.headers.get('connection')]).toEqual([404, 'close'])

  await until(() =>
    at('/nowhere').then(
      () => undefined,
      () => true,
    ),
  )
  expect((await at('/readyz', health)).status).toBe(503)
  expect(lines.map(({ msg }) => msg)).not.toContain('closed broker')
  child.send('finish')
  const reply = await slow
  expect([reply.status, reply.headers.get('connection'), await reply.text()]).toEqual([200, 'close', 'done'])

  expect(await exited).toEqual([0, null])
  const end = lines.map(({ msg }) => msg)
  expect(end.slice(end.indexOf('stopped jobs'))).toEqual([
    'stopped jobs',
    'a step of the drain failed',
    'closed broker',
    'closed database',
  ])
}, 60_000)

test('an invalid configuration is printed as one message, with exit code 1', async () => {
  const { exited, errors } = await startProcess({ ENVIRONMENT: 'dev' })
  expect(await exited).toEqual([1, null])
  expect(errors()).toMatch(/^The configuration is not usable:\n {2}PORT: is not set — Port to listen on\n$/)
}, 60_000)

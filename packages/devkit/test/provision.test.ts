/** @slow It starts its own servers. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { elsewhere } from '@payments/devkit/machine/machine'
import { freePorts } from '@payments/devkit/machine/ports'
import { type Profile, root } from '@payments/devkit/machine/profile'
import { UserError } from '@payments/devkit/machine/user-error'
import { type ProcessGroup, processGroup } from '@payments/devkit/processes/process-group'
import { withClient } from '@payments/devkit/servers/databases'
import { startPostgres } from '@payments/devkit/servers/postgres'
import { provisioning } from '@payments/devkit/servers/provision'
import { testAddress } from '@payments/devkit/tests/test-address'

let own: Profile
let group: ProcessGroup

beforeEach(async () => {
  mkdirSync(join(root, '.data', 'test'), { recursive: true })
  const directory = mkdtempSync(join(root, '.data', 'test', 'provision-'))
  const [postgres = 0, rabbitmq = 0] = await freePorts(2)
  own = {
    name: 'test',
    directory,
    serverData: directory,
    isDurable: false,
    postgres: { port: postgres, variable: 'TEST_POSTGRES_PORT' },
    rabbitmq: { port: rabbitmq, variable: 'TEST_RABBITMQ_PORT' },
  }
  group = processGroup()
})

afterEach(async () => {
  await group.close()
  rmSync(own.directory, { recursive: true, force: true })
  rmSync(elsewhere(own.directory), { recursive: true, force: true })
})

it('takes the servers that the environment names, and starts none', async () => {
  const env = { DATABASE_URL: 'postgresql://somewhere', AMQP_URL: testAddress('TEST_AMQP_URL') }
  const servers = provisioning(own, group, env)
  expect((await servers.postgres(() => {})).url).toBe(env.DATABASE_URL)
  expect((await servers.rabbitmq(() => {})).url).toBe(env.AMQP_URL)
})

it('names the broker of AMQP_URL that rejects the connection, without the password', async () => {
  const [port = 0] = await freePorts(1)
  const servers = provisioning(own, group, { AMQP_URL: `amqp://user:secret@127.0.0.1:${port}` })
  const failure = await servers.rabbitmq(() => {}).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(UserError)
  expect((failure as Error).message).toBe(
    `RabbitMQ at 127.0.0.1:${port} (AMQP_URL) rejects the connection: connect ECONNREFUSED 127.0.0.1:${port}`,
  )
})

it.each([
  ['DATABASE_URL', 'notaurl'],
  ['DATABASE_URL', 'amqp://secret@localhost'],
  ['AMQP_URL', 'amqp://secret@local host'],
])('names %s where it is no URL of such a server, without its value', (variable, value) => {
  const provision = () => provisioning(own, group, { [variable]: value })
  expect(provision).toThrow(UserError)
  expect(provision).toThrow(new RegExp(`^${variable} is not a URL of a server, such as`))
  expect(provision).not.toThrow(value)
})

it('starts a private PostgreSQL on loopback, and again after a kill -9, with its data', async () => {
  const first = await startPostgres(own, group, 'secret')
  await withClient(String(first?.url), async (client) => {
    await client.query('CREATE TABLE stored AS SELECT 42 AS value')
    await client.query('CHECKPOINT')
    const { rows } = await client.query('SHOW listen_addresses')
    expect(rows).toEqual([{ listen_addresses: '127.0.0.1' }])
  })
  await killPostmaster()
  const again = await startPostgres(own, group, 'secret')
  await withClient(String(again?.url), async (client) => {
    expect((await client.query('SELECT value FROM stored')).rows).toEqual([{ value: 42 }])
  })
})

it.each([
  [true, 'on'],
  [false, 'off'],
])('starts a PostgreSQL whose commits wait for the disk: %s', async (isDurable, setting) => {
  const started = await startPostgres({ ...own, isDurable }, group, 'secret')
  await withClient(String(started?.url), async (client) => {
    for (const name of ['fsync', 'synchronous_commit', 'full_page_writes'])
      expect((await client.query(`SHOW ${name}`)).rows).toEqual([{ [name]: setting }])
  })
})

it('counts the statements of a server only when the profile counts them', async () => {
  const preloaded = async (profile: Profile) => {
    const started = await startPostgres(profile, group, 'secret')
    const { rows } = await withClient(String(started?.url), (client) => client.query('SHOW shared_preload_libraries'))
    await started?.server.stop()
    return rows
  }
  expect(await preloaded(own)).toEqual([{ shared_preload_libraries: '' }])
  expect(await preloaded({ ...own, countsStatements: true })).toEqual([
    { shared_preload_libraries: 'pg_stat_statements' },
  ])
})

it('never opens data without its secrets: creates new data after a deleted checkout, else reports the mistake', async () => {
  const first = await startPostgres(own, group, 'secret')
  await withClient(String(first?.url), (client) => client.query('CREATE TABLE stored AS SELECT 42 AS value'))
  await killPostmaster()
  const again = startPostgres(own, group, 'another')
  if (existsSync(join(own.directory, 'postgres', 'data'))) {
    await expect(again).rejects.toThrow(/was created with other secrets.*npm run reset/)
    return
  }
  await withClient(String((await again)?.url), async (client) => {
    expect((await client.query(`SELECT to_regclass('stored') AS table`)).rows).toEqual([{ table: null }])
  })
})

it('names the port that PostgreSQL cannot use, and its variable', async () => {
  await startPostgres(own, group, 'secret')
  const directory = mkdtempSync(`${own.directory}-`)
  const other: Profile = { ...own, directory, serverData: directory }
  try {
    await expect(startPostgres(other, group, 'secret')).rejects.toThrow(/is needed for PostgreSQL.*TEST_POSTGRES_PORT/)
  } finally {
    rmSync(other.directory, { recursive: true, force: true })
    rmSync(elsewhere(other.directory), { recursive: true, force: true })
  }
})

/** The process group does not know of the end, as after a crash. */
async function killPostmaster(): Promise<void> {
  const data = [join(own.directory, 'postgres', 'data'), join(elsewhere(own.directory), 'postgres', 'data')]
  const pids = data.flatMap((directory) => readPid(join(directory, 'postmaster.pid')))
  expect(pids).toHaveLength(1)
  process.kill(Number(pids[0]), 'SIGKILL')
}

function readPid(file: string): number[] {
  try {
    return [Number(readFileSync(file, 'utf8').split('\n')[0])]
  } catch {
    return [] // the data lies in the other place
  }
}

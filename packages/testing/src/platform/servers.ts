/**
 * **What it does.** Runs a private PostgreSQL and a private RabbitMQ, for a test that kills or restarts them, or
 * deletes the disk of the broker.
 *
 * **Guarantees.** Both are children of this process and end with it. Committed rows and confirmed messages survive a
 * kill -9, as in production.
 *
 * **Not guaranteed.** Availability: a machine that runs its servers in containers has no programs to start.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { elsewhere } from '@payments/devkit/machine/machine'
import { freePorts, isFree } from '@payments/devkit/machine/ports'
import { type Profile, root } from '@payments/devkit/machine/profile'
import { loadSecrets } from '@payments/devkit/machine/secrets'
import { UserError } from '@payments/devkit/machine/user-error'
import { processGroup, type Running } from '@payments/devkit/processes/process-group'
import { startAfterCrash } from '@payments/devkit/processes/supervisor'
import { startPostgres } from '@payments/devkit/servers/postgres'
import { rabbitmqDataDirectory, startRabbitmq } from '@payments/devkit/servers/rabbitmq'

export interface OwnServer {
  /** Ends it with a signal and waits for the end. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>
  /** Starts it again on the data it left, and waits until it takes connections. */
  readonly start: () => Promise<void>
}

export interface TestServers {
  /** As an administrator. */
  readonly databaseUrl: string
  readonly amqpUrl: string
}

export interface PrivateServers extends TestServers {
  /** The logs of the servers. */
  readonly logDirectory: string
  readonly postgres: OwnServer
  /** `wipe`: delete the disk after the end. */
  readonly rabbitmq: OwnServer & { readonly wipe: () => void }
  readonly stop: () => Promise<void>
}

const portsMax = 20

/** Undefined when this machine lacks the programs. */
export async function privateServers(): Promise<PrivateServers | undefined> {
  const profile = await ownProfile()
  const { postgresPassword, rabbitmqPassword } = loadSecrets(profile.directory)
  const group = processGroup()
  const stop = async () => {
    await group.close()
    for (const directory of [profile.directory, elsewhere(profile.directory)])
      rmSync(directory, { recursive: true, force: true })
  }
  try {
    const [postgres, rabbitmq] = await Promise.all([
      restartable(async () => {
        const started = await startPostgres(profile, group, postgresPassword)
        return started === undefined ? undefined : { ...started, beside: [] }
      }),
      restartable(async () => {
        const started = await startRabbitmq(profile, group, rabbitmqPassword)
        return started === undefined ? undefined : { ...started, beside: [started.epmd] }
      }),
    ])
    if (postgres === undefined || rabbitmq === undefined) {
      await stop()
      return undefined
    }
    return {
      databaseUrl: postgres.url,
      amqpUrl: rabbitmq.url,
      logDirectory: join(profile.directory, 'logs'),
      postgres,
      rabbitmq: { ...rabbitmq, wipe: () => rmSync(rabbitmqDataDirectory(profile), { recursive: true, force: true }) },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** With fsync, as for developers: a commit is on disk before it is acknowledged. */
export async function ownProfile(): Promise<Profile> {
  const parent = join(root, '.data', 'test')
  mkdirSync(parent, { recursive: true })
  const directory = mkdtempSync(join(parent, 'servers-'))
  const [postgres = 0] = await freePorts(1)
  for (const rabbitmq of await freePorts(portsMax)) {
    // Its own traffic and its name server listen on the two above it.
    const free = await Promise.all([isFree(rabbitmq + 1), isFree(rabbitmq + 2)])
    if (free.every(Boolean) && Math.abs(postgres - rabbitmq) > 2)
      return {
        name: 'dev',
        directory,
        serverData: directory,
        isDurable: true,
        postgres: { port: postgres, variable: 'a port of the test' },
        rabbitmq: { port: rabbitmq, variable: 'a port of the test' },
      }
  }
  throw new UserError('No three free ports in a row were found.')
}

interface Started {
  readonly url: string
  readonly server: Running
  /** Ends with it. */
  readonly beside: readonly Running[]
}

async function restartable(launch: () => Promise<Started | undefined>) {
  let running = await launch()
  if (running === undefined) return undefined
  return {
    url: running.url,
    end: async (signal: NodeJS.Signals) => {
      running?.server.kill(signal)
      await running?.server.exited
      for (const one of running?.beside ?? []) await one.stop()
    },
    start: async () => {
      running = await startAfterCrash(launch)
    },
  }
}

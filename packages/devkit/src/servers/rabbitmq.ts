/**
 * **What it does.** Runs the RabbitMQ of this machine on a private port, with its data in the profile and its own
 * epmd. All listen on loopback; the broker of the system is not used.
 *
 * **Guarantees.** Broker and epmd are children of this process and end with it. Data starts again after a crash.
 *
 * **Not guaranteed.** A cluster, the management plugin, or an upgrade of data to another version.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import amqp from 'amqplib'
import { find, searchPath, versionedDirectories } from '../machine/machine.ts'
import { type PortUse, requireFree } from '../machine/ports.ts'
import type { Profile } from '../machine/profile.ts'
import { writePrivately } from '../machine/secrets.ts'
import { formatError, UserError } from '../machine/user-error.ts'
import { lastLines, type ProcessGroup, type Running, runToEnd, until } from '../processes/process-group.ts'
import { developmentDefinitions } from './broker-users.ts'

const startTimeoutMs = 90_000
const epmdTimeoutMs = 5_000
const connectTimeoutMs = 5_000

export interface PrivateRabbitmq {
  readonly url: string
  readonly description: string
  readonly server: Running
  /** epmd, the name server of Erlang, which ends after the broker. */
  readonly epmd: Running
  /** Each starts one of the two again, after it has ended. */
  readonly startServer: () => Promise<Running>
  readonly startEpmd: () => Promise<Running>
}

/** Undefined: this machine has no RabbitMQ. */
export async function startRabbitmq(
  profile: Profile,
  group: ProcessGroup,
  password: string,
): Promise<PrivateRabbitmq | undefined> {
  const programs = findPrograms()
  if (programs === undefined) return undefined
  const { port } = profile.rabbitmq
  const ports = { amqp: port, distribution: port + 1, epmd: port + 2 }
  await requireFree(rabbitmqPorts(profile))
  const directory = join(profile.directory, 'rabbitmq')
  const url = buildUrl(profile, password)
  const files = writeConfiguration(directory, ports.amqp, url)
  const logFile = join(profile.directory, 'logs', 'rabbitmq.log')
  const env = environment(profile, directory, files, ports)
  const startEpmd = async () => {
    const epmd = group.launch({
      name: 'epmd',
      command: programs.epmd,
      args: ['-address', '127.0.0.1', '-port', String(ports.epmd)],
      env,
      cwd: '/',
      logFile,
      stopTimeoutMs: 5_000,
    })
    await waitForEpmd(epmd, programs.epmd, ports.epmd)
    return epmd
  }
  const startServer = async () => {
    const server = group.launch({
      name: 'rabbitmq',
      command: programs.server,
      args: [],
      env,
      cwd: directory,
      logFile,
      stopTimeoutMs: 20_000,
    })
    await waitForRabbitmq(url, server)
    return server
  }
  const epmd = await startEpmd()
  const server = await startServer()
  return { url, description: `from ${programs.server}`, server, epmd, startServer, startEpmd }
}

export function rabbitmqPorts({ rabbitmq: { port, variable } }: Profile): PortUse[] {
  return [
    { port, variable, purpose: 'RabbitMQ' },
    { port: port + 1, variable, purpose: "RabbitMQ's own traffic (one above its port)" },
    { port: port + 2, variable, purpose: "RabbitMQ's name server (two above its port)" },
  ]
}

export const buildUrl = (profile: Profile, password: string) =>
  `amqp://payments:${password}@127.0.0.1:${profile.rabbitmq.port}/%2F`

/** Directory of its data. */
export const rabbitmqDataDirectory = (profile: Profile): string => join(profile.serverData, 'rabbitmq', 'data')

/**
 * Debian has a wrapper on the path that requires its own user and directories; the script itself is below
 * /usr/lib/rabbitmq.
 */
function findPrograms(): { readonly server: string; readonly epmd: string } | undefined {
  const real = versionedDirectories('/usr/lib/rabbitmq/lib', 'sbin').map((directory) =>
    join(directory, 'rabbitmq-server'),
  )
  const server =
    real.find((file) => existsSync(file)) ?? find('rabbitmq-server', ['/opt/homebrew/sbin', '/usr/local/sbin'])
  const erlang = ['/usr/lib/erlang/bin', '/usr/local/lib/erlang/bin', ...runtimes()]
  const epmd = find('epmd', erlang)
  return server !== undefined && epmd !== undefined ? { server, epmd } : undefined
}

function runtimes(): string[] {
  return ['/usr/lib/erlang', '/usr/local/lib/erlang', '/opt/homebrew/lib/erlang'].flatMap((parent) =>
    versionedDirectories(parent, 'bin').filter((directory) => directory.includes('/erts-')),
  )
}

function writeConfiguration(directory: string, port: number, adminUrl: string) {
  mkdirSync(directory, { recursive: true })
  const files = {
    configuration: join(directory, 'rabbitmq.conf'),
    environment: join(directory, 'rabbitmq-env.conf'),
    plugins: join(directory, 'enabled_plugins'),
    definitions: join(directory, 'definitions.json'),
  }
  const lines = [
    `listeners.tcp.1 = 127.0.0.1:${port}`,
    `load_definitions = ${files.definitions}`,
    'disk_free_limit.absolute = 100MB',
    'log.console = false',
    'log.file = rabbitmq-broker.log',
    'log.file.level = info',
  ]
  writePrivately(files.definitions, developmentDefinitions(adminUrl))
  writePrivately(files.configuration, `${lines.join('\n')}\n`)
  // An empty file: without it, RabbitMQ reads the configuration of the system.
  writeFileSync(files.environment, '')
  writeFileSync(files.plugins, '[].\n')
  return files
}

function environment(
  profile: Profile,
  directory: string,
  files: ReturnType<typeof writeConfiguration>,
  ports: { amqp: number; distribution: number; epmd: number },
): Record<string, string | undefined> {
  const path = [...searchPath(), '/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/bin', '/bin']
  return {
    PATH: [...new Set(path)].join(':'),
    LC_ALL: 'C.UTF-8',
    HOME: directory,
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: String(ports.epmd),
    RABBITMQ_NODENAME: `payments-${profile.name}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(ports.amqp),
    RABBITMQ_DIST_PORT: String(ports.distribution),
    RABBITMQ_MNESIA_BASE: rabbitmqDataDirectory(profile),
    RABBITMQ_LOG_BASE: join(profile.directory, 'logs'),
    RABBITMQ_CONFIG_FILE: files.configuration,
    RABBITMQ_CONF_ENV_FILE: files.environment,
    RABBITMQ_ENABLED_PLUGINS_FILE: files.plugins,
    // With this variable the script becomes the Erlang machine, so its pid receives the signals.
    RABBITMQ_ALLOW_INPUT: 'true',
    RABBITMQ_SERVER_START_ARGS: '-noinput',
    // The schedulers of Erlang busy-wait by default, which slows down a small machine.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS:
      '+sbwt none +sbwtdcpu none +sbwtdio none -kernel inet_dist_use_interface {127,0,0,1}',
  }
}

async function waitForEpmd(epmd: Running, program: string, port: number): Promise<void> {
  const ready = await until(async () => {
    if (epmd.hasExited()) return true
    const env = { PATH: process.env['PATH'], ERL_EPMD_ADDRESS: '127.0.0.1' }
    const { code } = await runToEnd(program, ['-port', String(port), '-names'], { env, cwd: '/', timeoutMs: 2_000 })
    return code === 0
  }, epmdTimeoutMs)
  if (!ready || epmd.hasExited()) throw new UserError(`epmd did not start on port ${port}:\n${lastLines(epmd.logFile)}`)
}

/** Throws a UserError when the broker rejects a connection. */
export async function requireBroker(url: string): Promise<void> {
  try {
    await connectOnce(url)
  } catch (cause) {
    const { host } = new URL(url)
    throw new UserError(`RabbitMQ at ${host} (AMQP_URL) rejects the connection: ${formatError(cause)}`, { cause })
  }
}

async function connectOnce(url: string): Promise<void> {
  const connection = await amqp.connect(url, { timeout: connectTimeoutMs })
  await connection.close()
}

async function waitForRabbitmq(url: string, server: Running): Promise<void> {
  let last = ''
  const ready = await until(async () => {
    if (server.hasExited()) return true
    try {
      await connectOnce(url)
      return true
    } catch (error) {
      last = formatError(error)
      await delay(100)
      return false
    }
  }, startTimeoutMs)
  if (server.hasExited())
    throw new UserError(`RabbitMQ ended at once. The end of ${server.logFile}:\n${lastLines(server.logFile)}`)
  if (!ready) throw new UserError(`RabbitMQ was not ready within ${startTimeoutMs / 1000} s: ${last}`)
}
